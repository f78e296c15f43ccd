package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
)

func newCustomerCommand(a *app) *cobra.Command {
	return newGroupCommand("customer", "List customers and reset their passwords",
		newCustomerListCommand(a),
		newCustomerResetPasswordCommand(a),
	)
}

func newCustomerListCommand(a *app) *cobra.Command {
	filter := shop.CustomerFilter{Kind: shop.CustomerAccounts}
	var parse func() error
	var guests bool
	var pages listPage
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List a shop's customers, its guests, or both",
		Long: `List a shop's customers: first by their newest order, then customers without orders, newest first. With
--guests, list buyers without an account instead, by the phone number of their orders. SPENT is the total
of the orders that are not cancelled, expired, returned or unpaid online.`,
		Example: `  storefront customer list acme --search 01711-000000
  storefront customer list acme --guests
  storefront customer list acme --kind all --sort spent
  storefront customer list acme --kind all --json > customers.json`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter.Request = pages.request(a, cmd)
			if guests {
				filter.Kind = shop.CustomerGuests
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if err := parse(); err != nil {
					return err
				}
				return a.listCustomers(cmd.Context(), s, filter, format)
			})
		},
	}
	parse = a.addFilter(cmd, &filter, "kind", "search", "sortBy:sort")
	addDirection(cmd, &filter.Sort, "ascending", "the oldest, or the smallest, first (default with --sort name)")
	pages.flags(cmd, "customers")
	flags := cmd.Flags()
	flags.Lookup("kind").Usage = "account, guest or all"
	flags.BoolVar(&guests, "guests", false, "same as --kind guest")
	cmd.MarkFlagsMutuallyExclusive("kind", "guests")
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
			row(w, optional(c.ID), c.Name, optional(c.PhoneNumber), optional(c.Email), c.Orders, c.Spent.Text(), last)
		}
		printMore(w, customers.Meta)
	})
}

func newCustomerResetPasswordCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "reset-password UID CUSTOMER",
		Short:             "Set a new password for a customer and end all sessions",
		Long:              "Set a new password for a customer and end all sessions.\nCUSTOMER is an ID, an e-mail address or a phone number.",
		Example:           "  storefront customer reset-password acme rahim@example.com",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				reset, err := s.Accounts.ResetPassword(cmd.Context(), a.caller(), args[1])
				if fault.HasCode(err, fault.CodeNotFound) {
					return withHint(err, "list the customers with %s", a.command("customer list "+args[0]))
				}
				if err != nil {
					return err
				}
				return a.print(reset, func(w *table) {
					fmt.Fprintf(w, "New password: %s\nIt is not shown again. Send it to the customer, who should change it.\n", *reset.Password)
				})
			})
		},
	}
}
