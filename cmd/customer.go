package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/page"
)

func newCustomerCommand(a *app) *cobra.Command {
	return newGroupCommand("customer", "Manage customers' accounts and personal data",
		newCustomerListCommand(a),
		newCustomerShowCommand(a),
		newCustomerContactCommand(a),
		newCustomerExportCommand(a),
		newCustomerDeleteCommand(a),
		newCustomerResetPasswordCommand(a),
	)
}

func newCustomerListCommand(a *app) *cobra.Command {
	var search, kind, sort string
	var guests, ascending bool
	var number, limit int
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List a shop's customers, its guests, or both",
		Long: `List a shop's customers, those with the newest orders first, then those without orders, newest first. With --guests,
list those who ordered without an account instead, by the phone number of their orders; "customer contact" shows one of
them. SPENT is the total of the orders that are not cancelled, expired, returned or unpaid online.`,
		Example: `  storefront customer list acme --search 01711-000000
  storefront customer list acme --guests
  storefront customer list acme --kind all --sort spent
  storefront customer list acme --kind all --limit -1 --json > customers.json`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter := shop.CustomerFilter{Request: page.Request{Page: &number, Limit: &limit}, Kind: shop.CustomerKind(kind), Search: search}
			filter.SortBy, filter.Ascending = shop.CustomerSort(sort), ascending
			if !cmd.Flags().Changed("ascending") {
				filter.Ascending = filter.SortBy == shop.SortCustomerName
			}
			if guests {
				filter.Kind = shop.CustomerGuests
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.listCustomers(cmd.Context(), s, filter, format)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&search, "search", "", "a complete e-mail address or phone number, or part of a name")
	flags.IntVar(&number, "page", 1, "page number")
	flags.IntVar(&limit, "limit", defaultLimit, "customers per page, at most 100, or -1 for all")
	flags.StringVar(&kind, "kind", string(shop.CustomerAccounts), "account, guest or all")
	flags.BoolVar(&guests, "guests", false, "same as --kind guest")
	cmd.MarkFlagsMutuallyExclusive("kind", "guests")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(texts(shop.CustomerKinds()), cobra.ShellCompDirectiveNoFileComp)))
	flags.StringVar(&sort, "sort", string(shop.SortLastOrder), "sort by lastOrderAt, spent or name")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(texts(shop.CustomerSorts()), cobra.ShellCompDirectiveNoFileComp)))
	flags.BoolVar(&ascending, "ascending", false, "the oldest, or the smallest, first (default with --sort name)")
	a.addFormat(cmd, &format, "customer IDs, or phone numbers of guests,")
	return cmd
}

func (a *app) listCustomers(ctx context.Context, s *shop.Shop, filter shop.CustomerFilter, format listFormat) error {
	customers, err := s.ListCustomers(ctx, a.caller(), filter)
	if err != nil {
		return err
	}
	id := func(c *shop.CustomerRow) string {
		if c.ID == nil {
			return optional(c.PhoneNumber)
		}
		return *c.ID
	}
	return printList(a, format, customers, customers.Nodes, id, func(w *table) {
		if len(customers.Nodes) == 0 {
			what := "customers"
			if filter.Kind == shop.CustomerGuests {
				what = "guests"
			}
			fmt.Fprintf(w, "No %s found.\n", what)
			return
		}
		heading(w, "[ID]", "NAME…", "PHONE", "[E-MAIL…]", "ORDERS", "SPENT", "LAST ORDER")
		for _, c := range customers.Nodes {
			last := ""
			if c.LastOrderAt != nil {
				last = w.time(*c.LastOrderAt)
			}
			row(w, optional(c.ID), c.Name, optional(c.PhoneNumber), optional(c.Email), c.Orders, c.Spent.Formatted, last)
		}
		printMore(w, customers.Meta.Meta)
	})
}

// newAccountCommand returns a command for one account, which its second argument identifies.
func (a *app) newAccountCommand(use, short, example string,
	run func(cmd *cobra.Command, s *shop.Shop, account string) error) *cobra.Command {
	return &cobra.Command{
		Use:               use + " UID CUSTOMER",
		Short:             short,
		Long:              short + ".\nCUSTOMER is an ID, an e-mail address or a phone number.",
		Example:           example,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				err := run(cmd, s, args[1])
				if fault.HasCode(err, fault.CodeNotFound) {
					return withHint(err, "list the customers with %s", a.command("customer list "+args[0]))
				}
				return err
			})
		},
	}
}

func newCustomerShowCommand(a *app) *cobra.Command {
	return a.newAccountCommand("show", "Show a customer's account", "  storefront customer show acme 01711-000000",
		func(cmd *cobra.Command, s *shop.Shop, account string) error {
			c, err := s.FindCustomerRecord(cmd.Context(), a.caller(), account)
			if err != nil {
				return err
			}
			return a.print(c, func(w *table) { printCustomer(w, c) })
		})
}

func printCustomer(w *table, c *shop.CustomerDetails) {
	contact := func(text *string, verified bool) string {
		if text != nil && verified {
			return *text + " (verified)"
		}
		return optional(text)
	}
	row(w, "ID", c.ID)
	row(w, "Name", c.Name)
	row(w, "Phone", contact(c.PhoneNumber, c.PhoneVerified))
	row(w, "E-mail", contact(c.Email, c.EmailVerified))
	switch {
	case c.PasswordResetRequired:
		row(w, "Password", "must be reset")
	case c.HasPassword:
		row(w, "Password", "set")
	default:
		row(w, "Password", "none (signs in by code)")
	}
	row(w, "Orders", c.Orders)
	row(w, "Spent", c.Spent.Formatted)
	if c.LastOrderAt != nil {
		row(w, "Last order", w.time(*c.LastOrderAt))
	}
	row(w, "Created", w.time(c.CreatedAt))
	for _, at := range c.Addresses {
		row(w, "Address", joined(&at.Line1, at.Line2, at.Area, &at.City, at.Postcode, at.Country))
	}
	printLatestOrders(w, c.LatestOrders)
}

func printLatestOrders(w *table, orders []shop.OrderRow) {
	for _, o := range orders {
		row(w, fmt.Sprintf("Order %d", o.OrderNumber), fmt.Sprintf("%s, %s, %s", w.time(o.PlacedAt), o.Total.Formatted, o.Status))
	}
}

// guestHelp is the help text of commands that also work for guests.
const guestHelp = "\nFor a guest, use the phone number of their orders."

func newCustomerExportCommand(a *app) *cobra.Command {
	cmd := a.newAccountCommand("export", "Export all personal data of a customer or guest as JSON",
		"  storefront customer export acme 01711-000000 > rahim.json",
		func(cmd *cobra.Command, s *shop.Shop, account string) error {
			export, err := s.ExportCustomer(cmd.Context(), a.caller(), account)
			if err != nil {
				return err
			}
			return encode(a.Stdout, export, "  ")
		})
	cmd.Long += guestHelp
	return cmd
}

func newCustomerDeleteCommand(a *app) *cobra.Command {
	var yes bool
	cmd := a.newAccountCommand("delete", "Delete a customer's account, or erase a guest", "  storefront customer delete acme 01711-000000 --yes",
		func(cmd *cobra.Command, s *shop.Shop, account string) error {
			if !yes {
				return withHint(errors.New("confirm with --yes: the deletion cannot be undone, and orders under way lose their address"),
					"save the data with %s, then repeat with --yes", a.command("customer export "+s.UID()+" "+account))
			}
			orders, err := s.DeleteCustomer(cmd.Context(), a.caller(), account)
			if err != nil {
				return err
			}
			deleted := struct {
				Orders int `json:"orders"` // remaining, anonymised
			}{orders}
			return a.print(deleted, func(w *table) {
				fmt.Fprintf(w, "Deleted. Orders that remain without name, phone number, e-mail and address: %d.\n", orders)
			})
		})
	cmd.Long += guestHelp
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm the deletion")
	return cmd
}

func newCustomerResetPasswordCommand(a *app) *cobra.Command {
	return a.newAccountCommand("reset-password", "Set a new password for a customer and end all sessions",
		"  storefront customer reset-password acme rahim@example.com",
		func(cmd *cobra.Command, s *shop.Shop, account string) error {
			password, err := s.Accounts.ResetPassword(cmd.Context(), a.caller(), account)
			if err != nil {
				return err
			}
			reset := struct {
				Password string `json:"password"`
			}{password}
			return a.print(reset, func(w *table) {
				fmt.Fprintf(w, "New password: %s\nIt is not shown again. Send it to the customer, who should change it.\n", password)
			})
		})
}
