package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/inbox"
	"storefront/shop/page"
)

func newWebhookCommand(a *app) *cobra.Command {
	return newGroupCommand("webhook", "List, show and replay webhooks from providers, and receive the shop's own",
		newWebhookListCommand(a),
		newWebhookShowCommand(a),
		newWebhookReplayCommand(a),
		newWebhookListenCommand(a),
	)
}

// webhookList is the result of webhook list.
type webhookList struct {
	*page.List[inbox.Webhook]
	Refused []inbox.RefusedWebhook `json:"refused"` // failed authentication
}

func newWebhookListCommand(a *app) *cobra.Command {
	var filter inbox.WebhookFilter
	var parse func() error
	var pages listPage
	var format listFormat
	cmd := &cobra.Command{
		Use:   "list UID",
		Short: "List webhooks with their verdicts, newest first",
		Example: `  storefront webhook list acme --provider courier_a
  storefront webhook list acme --verdict unmatched`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter.Request = pages.request(a, cmd)
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if err := parse(); err != nil {
					return err
				}
				webhooks, err := s.Inbox.ListWebhooks(cmd.Context(), a.caller(), filter)
				if err != nil {
					return err
				}
				refused, err := s.Inbox.ListRefusedWebhooks(cmd.Context(), a.caller(), filter.Provider)
				if err != nil {
					return err
				}
				list := webhookList{webhooks, refused}
				return printList(a, format, list, webhooks.Nodes, func(c *inbox.Webhook) string { return c.ID }, func(w *table) {
					printWebhooks(w, webhooks, refused)
				})
			})
		},
	}
	parse = a.addFilter(cmd, &filter, "provider", "verdict")
	pages.flags(cmd, "webhooks")
	a.addFormat(cmd, &format, "webhook IDs")
	return cmd
}

func printWebhooks(w *table, webhooks *page.List[inbox.Webhook], refused []inbox.RefusedWebhook) {
	if len(webhooks.Nodes) == 0 {
		fmt.Fprintln(w, "No webhooks found.")
	} else {
		heading(w, "ID", "RECEIVED", "PROVIDER", "EVENT", "VERDICT", "[COPIES]", "[ORDER]", "REASON…")
		for _, c := range webhooks.Nodes {
			row(w, c.ID, w.time(c.ReceivedAt), c.Provider, c.Event, colour(c.Verdict), c.Copies, optional(c.OrderID), shortened(c.Reason))
		}
		printMore(w, webhooks.Meta)
	}
	if len(refused) > 0 {
		fmt.Fprintln(w, "\nRefused with 401:")
		heading(w, "TIME", "PROVIDER", "COUNT", "REASON…")
		for _, c := range refused {
			row(w, w.time(c.At), c.Provider, c.Received, c.Reason)
		}
	}
}

func newWebhookShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show UID ID",
		Short:             "Show a webhook and its body, with secrets masked",
		Example:           "  storefront webhook show acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				webhook, err := s.Inbox.FindWebhook(cmd.Context(), a.caller(), args[1])
				if fault.HasCode(err, fault.CodeNotFound) {
					return withHint(err, "list the webhooks with %s", a.command("webhook list "+args[0]))
				}
				if err != nil {
					return err
				}
				return a.print(webhook, func(w *table) { printWebhook(w, webhook) })
			})
		},
	}
}

func printWebhook(w *table, c *inbox.Webhook) {
	row(w, "Webhook", c.ID)
	row(w, "Provider", c.Provider)
	row(w, "Event", c.Event)
	row(w, "Verdict", c.Verdict)
	row(w, "Reason", c.Reason)
	row(w, "Order", optional(c.OrderID))
	row(w, "Received", fmt.Sprintf("%s; copies: %d, the last at %s", w.time(c.ReceivedAt), c.Copies, w.time(c.LastAt)))
	fmt.Fprintf(w, "\n%s\n", optional(c.Body))
}

func newWebhookReplayCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "replay UID ID",
		Short:             "Replay a webhook that was not applied",
		Long:              `Process again a stored webhook that was not applied, such as one with the verdict unmatched or failed.`,
		Example:           "  storefront webhook replay acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				webhook, err := s.Orders.ReplayWebhook(cmd.Context(), a.caller(), args[1])
				if fault.HasCode(err, fault.CodeNotFound) {
					return withHint(err, "list the webhooks with %s", a.command("webhook list "+args[0]))
				}
				if err != nil {
					return err
				}
				return a.print(webhook, func(w *table) { printWebhook(w, webhook) })
			})
		},
	}
}
