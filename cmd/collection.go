package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/page"
)

func newCollectionCommand(a *app) *cobra.Command {
	return newGroupCommand("collection", "Manage a shop's collections",
		newCollectionListCommand(a),
		newCollectionCreateCommand(a),
		newCollectionSetCommand(a),
		newCollectionAddCommand(a),
		newCollectionRemoveCommand(a),
		newCollectionArrangeCommand(a),
		newCollectionDeleteCommand(a),
	)
}

// noLimit returns the input for a whole list on one page.
func noLimit() page.Request {
	limit := page.NoLimit
	return page.Request{Limit: &limit}
}

func newCollectionListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "list UID",
		Short:             "List a shop's collections",
		Example:           "  storefront collection list acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				page, err := s.Catalogue.ListCollectionRecords(cmd.Context(), a.caller(), catalogue.CollectionFilter{Request: noLimit()})
				if err != nil {
					return err
				}
				return a.print(page.Nodes, func(w *table) {
					if len(page.Nodes) == 0 {
						fmt.Fprintln(w, "No collections.")
						return
					}
					heading(w, "HANDLE", "TITLE…", "PRODUCTS", "[ID]")
					for _, c := range page.Nodes {
						row(w, c.Handle, c.Title, c.ProductCount, c.ID)
					}
				})
			})
		},
	}
}

func newCollectionCreateCommand(a *app) *cobra.Command {
	var in catalogue.CollectionInput
	var position int
	cmd := &cobra.Command{
		Use:   "create UID --title TITLE",
		Short: "Create a collection, or replace the one with the same handle",
		Example: `  storefront collection create acme --title "Eid Collection" --handle eid
  storefront collection create acme --title "Summer" --image https://cdn.example.com/summer.jpg --position 1`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("position") {
				in.Position = &position
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				c, err := s.Catalogue.SaveCollection(cmd.Context(), a.caller(), in)
				if err != nil {
					return err
				}
				return a.print(c, func(w *table) {
					fmt.Fprintf(w, "Saved collection %s. Next: %s\n", c.Handle,
						a.command("collection add "+args[0]+" "+c.Handle+" PRODUCT…"))
				})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in.Title, "title", "", "title that buyers see")
	flags.StringVar(&in.Handle, "handle", "", "URL slug (default derived from the title)")
	flags.StringVar(&in.DescriptionHTML, "description", "", "HTML; scripts and other active content are removed")
	flags.StringVar(&in.Image, "image", "", "URL of an image")
	flags.StringVar(&in.ImageAlt, "image-alt", "", "text alternative of the image")
	flags.IntVar(&position, "position", 0, "position among the collections, from 1 (default last)")
	cobra.CheckErr(cmd.MarkFlagRequired("title"))
	return cmd
}

func newCollectionSetCommand(a *app) *cobra.Command {
	var text struct{ handle, title, description, image, alt string }
	var position int
	cmd := &cobra.Command{
		Use:   "set UID COLLECTION",
		Short: "Change a collection's content",
		Long:  "Change the given fields of a collection. COLLECTION is a handle, a title or an ID. Its products stay.",
		Example: `  storefront collection set acme eid --title "Eid 2027" --position 1
  storefront collection set acme eid --image ""`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			var change catalogue.CollectionChange
			flags := cmd.Flags()
			for name, field := range map[string]struct {
				to   **string
				from *string
			}{
				"handle": {&change.Handle, &text.handle}, "title": {&change.Title, &text.title}, "image": {&change.Image, &text.image},
				"description": {&change.DescriptionHTML, &text.description}, "image-alt": {&change.ImageAlt, &text.alt},
			} {
				if flags.Changed(name) {
					*field.to = field.from
				}
			}
			if flags.Changed("position") {
				change.Position = &position
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				c, err := s.Catalogue.UpdateCollection(cmd.Context(), a.caller(), args[1], change)
				if err != nil {
					return err
				}
				return a.print(c, func(w *table) { fmt.Fprintf(w, "Saved collection %s.\n", c.Handle) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&text.title, "title", "", "title that buyers see")
	flags.StringVar(&text.handle, "handle", "", "URL slug")
	flags.StringVar(&text.description, "description", "", "HTML; scripts and other active content are removed")
	flags.StringVar(&text.image, "image", "", "URL of an image; empty removes it")
	flags.StringVar(&text.alt, "image-alt", "", "text alternative of the image")
	flags.IntVar(&position, "position", 0, "position among the collections, from 1")
	return cmd
}

func newCollectionArrangeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "arrange UID COLLECTION PRODUCT…",
		Short:             "Set the products of a collection and their order",
		Long:              "Set the products of a collection, by handle or ID, and their order. Products that are left out leave the collection.",
		Example:           "  storefront collection arrange acme eid silk-saree cotton-panjabi",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				c, err := s.Catalogue.ArrangeCollection(cmd.Context(), a.caller(), args[1], args[2:], nil)
				if err != nil {
					return err
				}
				return a.print(c, func(w *table) {
					fmt.Fprintf(w, "Collection %s has %d products in this order.\n", c.Handle, len(c.ProductIDs))
				})
			})
		},
	}
}

func newCollectionAddCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "add UID COLLECTION PRODUCT…",
		Short:             "Add products to a collection, by handle or ID",
		Example:           "  storefront collection add acme eid cotton-panjabi silk-saree",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeMembers(cmd.Context(), args, "added", (*catalogue.Catalogue).AddToCollection)
		},
	}
}

func newCollectionRemoveCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "remove UID COLLECTION PRODUCT…",
		Short:             "Remove products from a collection, by handle or ID",
		Example:           "  storefront collection remove acme eid silk-saree",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeMembers(cmd.Context(), args, "removed", (*catalogue.Catalogue).RemoveFromCollection)
		},
	}
}

func newCollectionDeleteCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete UID COLLECTION --yes",
		Short: "Delete a collection; its products stay",
		Long: `Delete a collection. COLLECTION is a handle, a title or an ID. Its products stay. A coupon for this
collection alone applies to nothing afterwards.`,
		Example:           "  storefront collection delete acme eid --yes",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if err := a.confirmDeletion(yes, "list the collections with %s", "collection list "+args[0]); err != nil {
					return err
				}
				if err := s.Catalogue.DeleteCollection(cmd.Context(), a.caller(), args[1]); err != nil {
					return err
				}
				return a.printDeleted("collection", args[1])
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm the deletion")
	return cmd
}

// changeMembers runs change with the products of args and prints how many it changed.
func (a *app) changeMembers(ctx context.Context, args []string, done string,
	change func(c *catalogue.Catalogue, ctx context.Context, caller access.Caller, collection string, products ...string) (int, error)) error {
	return a.withShop(ctx, args[0], func(s *shop.Shop) error {
		n, err := change(s.Catalogue, ctx, a.caller(), args[1], args[2:]...)
		if err != nil {
			return err
		}
		return a.print(map[string]int{done: n}, func(w *table) {
			fmt.Fprintf(w, "%d of %d products %s.\n", n, len(args)-2, done)
		})
	})
}
