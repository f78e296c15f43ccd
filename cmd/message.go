package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/page"
)

func newMessageCommand(a *app) *cobra.Command {
	return newGroupCommand("message", "List and test messages to buyers about their orders",
		newMessageListCommand(a),
		newMessageTemplatesCommand(a),
		newMessageTestCommand(a),
	)
}

func newMessageListCommand(a *app) *cobra.Command {
	var order string
	var number, limit int
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List the messages that were sent to buyers, newest first",
		Long: `List the messages to buyers about their orders, newest first. The setting buyerMessages switches them on:

  storefront tenant set acme buyerMessages='{"sms": ["out_for_delivery"], "email": ["placed", "booked"]}'

The events are placed, confirmed, booked (with a courier), shipped (picked up by it), out_for_delivery, delivered, cancelled,
refunded and payment_link (the link to pay an online order that staff have placed).`,
		Example:           "  storefront message list acme --order 1042",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter := shop.MessageFilter{Request: page.Request{Page: &number, Limit: &limit}}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if order != "" {
					found, err := a.findOrder(cmd.Context(), s, order)
					if err != nil {
						return err
					}
					filter.Order = found.OrderNumber
				}
				list, err := s.ListBuyerMessages(cmd.Context(), a.caller(), filter)
				if err != nil {
					return err
				}
				return a.print(list, func(w *table) {
					if len(list.Nodes) == 0 {
						fmt.Fprintln(w, "No messages found.")
						return
					}
					heading(w, "ORDER", "EVENT", "CHANNEL", "STATUS", "[SEGMENTS]", "[ATTEMPTS]", "AT", "REASON…")
					for _, m := range list.Nodes {
						row(w, m.OrderNumber, m.Event, m.Channel, colour(m.Status), m.Segments, m.Attempts, w.time(m.UpdatedAt), printable(m.Reason))
					}
				})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&order, "order", "", "number or invoice UID of the order (default all)")
	flags.IntVar(&number, "page", 1, "page number")
	flags.IntVar(&limit, "limit", page.DefaultLimit, "messages per page, 1 to 100; -1 means all")
	return cmd
}

func newMessageTemplatesCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "templates UID",
		Short: "List the texts of messages to buyers, with their length in SMS",
		Long: `List the texts of messages to buyers in both languages, with the segments that an SMS gateway bills for an
example. Texts in Bangla have 70 characters in a segment, those in plain Latin letters 160.

The setting buyerMessages replaces a text. The placeholders are {shop}, {number}, {total}, {cash} (to pay on
delivery), {courier}, {tracking}, {link} (the order's page; in payment_link where it is paid) and {refunded}.`,
		Example:           "  storefront message templates acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.ListMessageTemplates(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				return a.print(list, func(w *table) {
					heading(w, "EVENT", "LANGUAGE", "ON", "[SEGMENTS]", "TEXT…")
					for _, m := range list {
						on := make([]string, len(m.Channels))
						for i, channel := range m.Channels {
							on[i] = string(channel)
						}
						row(w, m.Event, m.Language, strings.Join(on, ", "), m.Segments, printable(m.Text))
					}
				})
			})
		},
	}
}

func newMessageTestCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "test UID EVENT PHONE|ADDRESS",
		Short:             "Send an example of a message to a phone number or an e-mail address",
		Example:           "  storefront message test acme out_for_delivery 01711-000000",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				id, text, err := s.SendTestMessage(cmd.Context(), a.caller(), shop.MessageEvent(args[1]), args[2])
				if err != nil {
					return messageError(err)
				}
				sent := struct {
					MessageID string `json:"messageId"`
					Text      string `json:"text"`
				}{id, text}
				return a.print(sent, func(w *table) { fmt.Fprintf(w, "Sent: %s\n", printable(text)) })
			})
		},
	}
}

// messageError returns the provider's words of a refusal.
func messageError(err error) error {
	refused, ok := errors.AsType[*fault.Error](err)
	if ok && refused.Err != nil && (refused.Code == fault.CodeSMSUnavailable || refused.Code == fault.CodeEmailUnavailable) {
		return refused.Err
	}
	return err
}
