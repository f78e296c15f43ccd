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
	var search string
	var guests bool
	var number, limit int
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List a shop's customers, or its guests",
		Long: `List a shop's customers, newest first. With --guests, list those who ordered without an account instead, by
the phone number of their orders, with what they have spent: the totals of their orders that are not
cancelled, expired, returned or unpaid online.`,
		Example: `  storefront customer list acme --search 01711-000000
  storefront customer list acme --guests
  storefront customer list acme --limit -1 --json > customers.json`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter := shop.CustomerFilter{Request: page.Request{Page: &number, Limit: &limit}, Search: search}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if guests {
					return a.listGuests(cmd.Context(), s, filter, format)
				}
				return a.listCustomers(cmd.Context(), s, filter, format)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&search, "search", "", "part of a name, or a complete e-mail address or phone number")
	flags.IntVar(&number, "page", 1, "page number")
	flags.IntVar(&limit, "limit", defaultLimit, "customers per page, at most 100, or -1 for all")
	flags.BoolVar(&guests, "guests", false, "list those who ordered without an account, by phone number")
	a.addFormat(cmd, &format, "customer IDs, or phone numbers of guests,")
	return cmd
}

func (a *app) listGuests(ctx context.Context, s *shop.Shop, filter shop.CustomerFilter, format listFormat) error {
	guests, err := s.ListGuests(ctx, a.caller(), filter)
	if err != nil {
		return err
	}
	number := func(g *shop.GuestRecord) string { return g.PhoneNumber }
	return printList(a, format, guests, guests.Nodes, number, func(w *table) {
		if len(guests.Nodes) == 0 {
			fmt.Fprintln(w, "No guests found.")
			return
		}
		heading(w, "PHONE", "NAME…", "ORDERS", "SPENT", "LAST ORDER")
		for _, g := range guests.Nodes {
			row(w, g.PhoneNumber, g.Name, g.Orders, g.Spent.Formatted, w.time(g.LastOrderAt))
		}
		printMore(w, guests.Meta)
	})
}

func (a *app) listCustomers(ctx context.Context, s *shop.Shop, filter shop.CustomerFilter, format listFormat) error {
	customers, err := s.ListCustomers(ctx, a.caller(), filter)
	if err != nil {
		return err
	}
	id := func(c *shop.CustomerRow) string { return c.ID }
	return printList(a, format, customers, customers.Nodes, id, func(w *table) {
		if len(customers.Nodes) == 0 {
			fmt.Fprintln(w, "No customers found.")
			return
		}
		heading(w, "[ID]", "NAME…", "PHONE", "E-MAIL…", "ORDERS", "CREATED")
		for _, c := range customers.Nodes {
			row(w, c.ID, c.Name, optional(c.PhoneNumber), optional(c.Email), c.Orders, w.time(c.CreatedAt))
		}
		if m := customers.Meta; m.HasNextPage {
			fmt.Fprintf(w, "\nPage %d of %d, %d customers in total; next: --page %d.\n", m.CurrentPage, m.TotalPages, m.TotalCount, m.CurrentPage+1)
		}
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
	row(w, "Created", w.time(c.CreatedAt))
	for _, at := range c.Addresses {
		row(w, "Address", joined(&at.Line1, at.Line2, at.Area, &at.City, at.Postcode, at.Country))
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
