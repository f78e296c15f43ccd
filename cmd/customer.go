package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"storefront/shop"
)

// defaultCustomers is how many accounts customer list shows.
const defaultCustomers = 50

func newCustomerCommand(a *app) *cobra.Command {
	return newGroupCommand("customer", "Look after customers' accounts and data",
		newCustomerListCommand(a),
		newCustomerShowCommand(a),
		newCustomerExportCommand(a),
		newCustomerDeleteCommand(a),
		newCustomerResetPasswordCommand(a),
	)
}

func newCustomerListCommand(a *app) *cobra.Command {
	var search string
	var page, limit int
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List a shop's customers, newest first",
		Example: `  storefront customer list acme --search 01711-000000
  storefront customer list acme --limit -1 --json > customers.json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter := shop.CustomerFilter{PageInput: shop.PageInput{Page: &page, Limit: &limit}, Search: search}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.listCustomers(cmd.Context(), s, filter, format)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&search, "search", "", "part of a name, or a whole e-mail address or phone number")
	flags.IntVar(&page, "page", 1, "which page of them")
	flags.IntVar(&limit, "limit", defaultCustomers, "customers a page, at most 100; -1: all")
	a.addFormat(cmd, &format, "customer ID")
	return cmd
}

func (a *app) listCustomers(ctx context.Context, s *shop.Shop, filter shop.CustomerFilter, format listFormat) error {
	customers, err := s.ListCustomers(ctx, filter)
	if err != nil {
		return err
	}
	return printList(a, format, customers, customers.Nodes, func(c *shop.CustomerRecord) string { return c.ID }, func(w io.Writer) {
		if len(customers.Nodes) == 0 {
			fmt.Fprintln(w, "There are no such customers.")
			return
		}
		row(w, "ID", "NAME", "PHONE", "E-MAIL", "ORDERS", "SINCE")
		for _, c := range customers.Nodes {
			row(w, c.ID, c.Name, optional(c.PhoneNumber), optional(c.Email), c.Orders, localTime(c.CreatedAt))
		}
		if m := customers.Meta; m.HasNextPage {
			fmt.Fprintf(w, "\nPage %d of %d, %d customers in all; more with --page %d.\n", m.CurrentPage, m.TotalPages, m.TotalCount, m.CurrentPage+1)
		}
	})
}

// newAccountCommand is a command about one account, which its second argument names.
func (a *app) newAccountCommand(use, short, example string, run func(cmd *cobra.Command, s *shop.Shop, account string) error) *cobra.Command {
	return &cobra.Command{
		Use:               use + " UID CUSTOMER",
		Short:             short,
		Long:              short + ". CUSTOMER is an id, an e-mail address or a phone number.",
		Example:           example,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				err := run(cmd, s, args[1])
				if shop.HasCode(err, shop.CodeNotFound) {
					return withHint(err, "%s", a.command("customer list "+args[0]))
				}
				return err
			})
		},
	}
}

func newCustomerShowCommand(a *app) *cobra.Command {
	return a.newAccountCommand("show", "Show one account", "  storefront customer show acme 01711-000000",
		func(cmd *cobra.Command, s *shop.Shop, account string) error {
			c, err := s.FindCustomerRecord(cmd.Context(), account)
			if err != nil {
				return err
			}
			return a.print(c, func(w io.Writer) { printCustomer(w, c) })
		})
}

func printCustomer(w io.Writer, c *shop.CustomerRecord) {
	proven := func(text *string, yes bool) string {
		if text != nil && yes {
			return *text + " (proven)"
		}
		return optional(text)
	}
	row(w, "Id", c.ID)
	row(w, "Name", c.Name)
	row(w, "Phone", proven(c.PhoneNumber, c.PhoneVerified))
	row(w, "E-mail", proven(c.Email, c.EmailVerified))
	switch {
	case c.PasswordResetRequired:
		row(w, "Password", "to be set anew")
	case c.HasPassword:
		row(w, "Password", "set")
	default:
		row(w, "Password", "none, signs in by code")
	}
	row(w, "Orders", c.Orders)
	row(w, "Since", localTime(c.CreatedAt))
	for _, at := range c.Addresses {
		row(w, "Address", joined(&at.Line1, at.Line2, at.Area, &at.City, at.Postcode, at.Country))
	}
}

// guestsToo is what the help says of commands about people without an account.
const guestsToo = "\nA guest is named by the phone number of their orders."

func newCustomerExportCommand(a *app) *cobra.Command {
	cmd := a.newAccountCommand("export", "Print all that is kept about a person, as JSON", "  storefront customer export acme 01711-000000 > rahim.json",
		func(cmd *cobra.Command, s *shop.Shop, account string) error {
			export, err := s.ExportCustomer(cmd.Context(), account)
			if err != nil {
				return err
			}
			return encode(a.Stdout, export, "  ")
		})
	cmd.Long += guestsToo
	return cmd
}

func newCustomerDeleteCommand(a *app) *cobra.Command {
	var yes bool
	cmd := a.newAccountCommand("delete", "Delete an account, or a guest, and the person's data", "  storefront customer delete acme 01711-000000 --yes",
		func(cmd *cobra.Command, s *shop.Shop, account string) error {
			if !yes {
				return withHint(errors.New("nothing was deleted: orders on their way would lose their address, and nothing brings it back"),
					"%s, then the same with --yes", a.command("customer export "+s.UID()+" "+account))
			}
			orders, err := s.DeleteCustomer(cmd.Context(), account)
			if err != nil {
				return err
			}
			deleted := struct {
				Orders int `json:"orders"` // kept without the person
			}{orders}
			return a.print(deleted, func(w io.Writer) {
				fmt.Fprintf(w, "Deleted. Orders that stay, without name, phone, e-mail and address: %d.\n", orders)
			})
		})
	cmd.Long += guestsToo
	cmd.Flags().BoolVar(&yes, "yes", false, "do it")
	return cmd
}

func newCustomerResetPasswordCommand(a *app) *cobra.Command {
	return a.newAccountCommand("reset-password", "Give a customer a new password and end all sign-ins", "  storefront customer reset-password acme rahim@example.com",
		func(cmd *cobra.Command, s *shop.Shop, account string) error {
			password, err := s.ResetPassword(cmd.Context(), account)
			if err != nil {
				return err
			}
			reset := struct {
				Password string `json:"password"`
			}{password}
			return a.print(reset, func(w io.Writer) {
				fmt.Fprintf(w, "The new password is %s. It is shown only now: tell it to the customer, who should change it.\n", password)
			})
		})
}
