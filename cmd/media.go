package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/catalogue"
)

func newMediaCommand(a *app) *cobra.Command {
	return newGroupCommand("media", "List uploaded images",
		newMediaListCommand(a),
	)
}

func newMediaListCommand(a *app) *cobra.Command {
	var filter catalogue.MediaFilter
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List a shop's uploaded images",
		Example: `  storefront media list acme --search panjabi
  storefront media list acme --unused --json`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter.Request = noLimit()
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				page, err := s.Catalogue.ListMedia(cmd.Context(), a.caller(), filter)
				if err != nil {
					return err
				}
				return a.print(page.Nodes, func(w *table) {
					if len(page.Nodes) == 0 {
						fmt.Fprintln(w, "No images found.")
						return
					}
					heading(w, "ID", "DESCRIPTION…", "[WIDTH]", "[HEIGHT]", "[BYTES]", "[USED BY]")
					for _, m := range page.Nodes {
						row(w, m.ID, m.Alt, m.Width, m.Height, m.Bytes, m.UsedBy)
					}
				})
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&filter.Unused, "unused", false, "only images that nothing shows")
	flags.StringVar(&filter.Search, "search", "", "only images with these words, or beginnings of words, in the text alternative")
	return cmd
}
