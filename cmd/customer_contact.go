package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
)

func newCustomerContactCommand(a *app) *cobra.Command {
	var note, block, reason string
	var tags []string
	cmd := &cobra.Command{
		Use:   "contact UID PHONE",
		Short: "Show a phone number's record, or note, tag or block it",
		Long: `Show what the shop knows about a phone number, of a customer or a guest, and its latest orders. The flags change
the record: --block cash refuses cash on delivery to guests and accounts with the number, --block all refuses their
orders, --block none ends the block.`,
		Example: `  storefront customer contact acme 01711-000000
  storefront customer contact acme 01711-000000 --block cash --reason "Refused three shipments"
  storefront customer contact acme 01711-000000 --tag wholesale --note "Pays by bank transfer"`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				var change shop.ContactChange
				given := func(name string, value string, into **string) {
					if cmd.Flags().Changed(name) {
						*into = &value
					}
				}
				given("note", note, &change.Note)
				given("reason", reason, &change.BlockedReason)
				if cmd.Flags().Changed("block") {
					change.Blocked = new(shop.Block(block))
				}
				if cmd.Flags().Changed("tag") {
					change.Tags = &tags
				}
				if change.Note == nil && change.BlockedReason == nil && change.Blocked == nil && change.Tags == nil {
					contact, err := s.FindContact(cmd.Context(), a.caller(), args[1])
					if err != nil {
						return err
					}
					return a.print(contact, func(w *table) { printContactDetails(w, contact) })
				}
				contact, err := s.UpdateContact(cmd.Context(), a.caller(), args[1], change)
				if err != nil {
					return err
				}
				return a.print(contact, func(w *table) { printContact(w, contact) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&note, "note", "", "note about the buyer, visible to staff only; empty removes it")
	flags.StringSliceVar(&tags, "tag", nil, "tag; repeatable, replaces the earlier ones; empty removes them")
	flags.StringVar(&block, "block", "", "none, cash or all")
	flags.StringVar(&reason, "reason", "", "why the number is blocked, visible to staff only")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("block", cobra.FixedCompletions(texts(shop.Blocks()), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func printContactDetails(w *table, c *shop.ContactDetails) {
	printContact(w, &c.Contact)
	if c.Guest != nil {
		row(w, "Orders as guest", c.Guest.Orders)
		row(w, "Spent as guest", c.Guest.Spent.Formatted)
	}
	for _, at := range c.Addresses {
		row(w, "Address as guest", joined(&at.Line1, at.Line2, at.Area, &at.City, at.Postcode, at.Country))
	}
	printLatestOrders(w, c.LatestOrders)
}

func printContact(w *table, c *shop.Contact) {
	row(w, "Phone", c.PhoneNumber)
	row(w, "Names", strings.Join(c.Names, ", "))
	row(w, "Record", recordText(c.Record))
	if c.LastOrderAt != nil {
		row(w, "Last order", w.time(*c.LastOrderAt))
	}
	row(w, "Tags", strings.Join(c.Tags, ", "))
	row(w, "Note", optional(c.Note))
	blocked := string(c.Blocked)
	if c.BlockedReason != nil {
		blocked += ": " + *c.BlockedReason
	}
	row(w, "Blocked", blocked)
}
