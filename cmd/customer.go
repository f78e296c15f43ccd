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
	var search, kind, sort string
	var guests, ascending bool
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
			filter := shop.CustomerFilter{Request: pages.request(a, cmd), Kind: shop.CustomerKind(kind), Search: search}
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
	pages.flags(cmd, "customers")
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
