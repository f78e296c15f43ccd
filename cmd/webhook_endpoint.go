package cmd

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/endpoint"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/page"
)

func newWebhookEndpointCommand(a *app) *cobra.Command {
	return newGroupCommand("webhook-endpoint", "Send a shop's events to other systems",
		newWebhookEndpointListCommand(a),
		newWebhookEndpointCreateCommand(a),
		newWebhookEndpointSetCommand(a),
		newWebhookEndpointRotateCommand(a),
		newWebhookEndpointDeleteCommand(a),
		newWebhookEndpointTestCommand(a),
		newWebhookEndpointDeliveriesCommand(a),
		newWebhookEndpointRedeliverCommand(a),
	)
}

func newWebhookEndpointListCommand(a *app) *cobra.Command {
	var format listFormat
	cmd := &cobra.Command{
		Use:               "list UID",
		Short:             "List the webhook endpoints, oldest first",
		Example:           "  storefront webhook-endpoint list acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.Endpoints.ListEndpoints(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				return printList(a, format, list, list, func(e *endpoint.Endpoint) string { return e.ID }, func(w *table) {
					if len(list) == 0 {
						fmt.Fprintln(w, "No webhook endpoints.")
						return
					}
					heading(w, "ID", "URL…", "STATE", "EVENTS…", "PAYLOAD", "[LAST SENT]", "FAILING SINCE")
					for _, e := range list {
						last, failing := "never", ""
						if e.LastDelivery != nil {
							last = w.time(e.LastDelivery.At)
						}
						if e.FailingSince != nil {
							failing = w.time(*e.FailingSince)
						}
						row(w, e.ID, e.URL, colour(endpointState(&e)), strings.Join(converted[string](e.Types), " "), e.Payload, last, failing)
					}
				})
			})
		},
	}
	a.addFormat(cmd, &format, "endpoint IDs")
	return cmd
}

// endpointState describes whether events are sent to an endpoint.
func endpointState(e *endpoint.Endpoint) string {
	switch {
	case e.Active:
		return "active"
	case e.DisabledReason != nil:
		return "disabled"
	}
	return "inactive"
}

func newWebhookEndpointCreateCommand(a *app) *cobra.Command {
	var in endpoint.Input
	var types []string
	cmd := &cobra.Command{
		Use:   "create UID URL",
		Short: "Create a webhook endpoint",
		Long: `Send the events of a shop to a URL from now on, as Standard Webhooks (https://www.standardwebhooks.com).
The secret that verifies them is printed once. --payload full adds the order that an event is about.

Private and reserved addresses are refused when a webhook is sent, unless --private-providers allows
them. The Admin API's reference at /admin/docs describes the requests and lists the events.`,
		Example: `  storefront webhook-endpoint create acme https://erp.example.com/hooks/shop
  storefront webhook-endpoint create acme https://erp.example.com/hooks/shop --type order.placed,order.cancelled --payload full`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				in.URL, in.Types = args[1], converted[outbox.Type](types)
				created, secret, err := s.Endpoints.CreateEndpoint(cmd.Context(), a.caller(), in)
				if err != nil {
					return err
				}
				return a.printSecret(created, secret, args[0])
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in.Label, "name", "", "label, such as the system that receives the webhooks (default the URL's host)")
	flags.StringSliceVar(&types, "type", nil, "event to send, such as order.placed; repeatable (default all)")
	flags.StringVar((*string)(&in.Payload), "payload", string(endpoint.PayloadThin), "thin or full")
	return cmd
}

// printSecret prints an endpoint with its new secret.
func (a *app) printSecret(e *endpoint.Endpoint, secret, uid string) error {
	result := struct {
		*endpoint.Endpoint
		Secret string `json:"secret"`
	}{e, secret}
	return a.print(result, func(w *table) {
		fmt.Fprintf(w, "%s\n\nStore this secret of %s now: it is not shown again. To send a test: %s\n", secret, e.Label,
			a.command("webhook-endpoint test "+uid+" "+e.ID))
	})
}

func newWebhookEndpointSetCommand(a *app) *cobra.Command {
	var address, label, payload string
	var types []string
	var active bool
	cmd := &cobra.Command{
		Use:   "set UID ID",
		Short: "Change a webhook endpoint, or stop and resume sending to it",
		Long: `Change a webhook endpoint. --active=false cancels what waits; --active sends the events from now on.
To send those that happened in between: storefront webhook-endpoint redeliver UID ID --from TIME`,
		Example: `  storefront webhook-endpoint set acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY --type order.placed
  storefront webhook-endpoint set acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY --active=false`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			var edit endpoint.Edit
			flags := cmd.Flags()
			if flags.Changed("url") {
				edit.URL = &address
			}
			if flags.Changed("name") {
				edit.Label = &label
			}
			if flags.Changed("type") {
				edit.Types = new(converted[outbox.Type](types))
			}
			if flags.Changed("payload") {
				edit.Payload = new(endpoint.Payload(payload))
			}
			if flags.Changed("active") {
				edit.Active = &active
			}
			if edit.URL == nil && edit.Label == nil && edit.Types == nil && edit.Payload == nil && edit.Active == nil {
				return &usageError{err: errors.New("nothing to change: add --url, --name, --type, --payload or --active"), command: cmd.CommandPath()}
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				changed, err := s.Endpoints.UpdateEndpoint(cmd.Context(), a.caller(), args[1], edit)
				if err != nil {
					return a.withEndpointHint(err, args[0])
				}
				return a.print(changed, func(w *table) { fmt.Fprintf(w, "Saved: %s is %s.\n", changed.Label, endpointState(changed)) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&address, "url", "", "where webhooks are sent")
	flags.StringVar(&label, "name", "", "label")
	flags.StringSliceVar(&types, "type", nil, `event to send; repeatable, and "*" means all`)
	flags.StringVar(&payload, "payload", "", "thin or full")
	flags.BoolVar(&active, "active", true, "whether events are sent")
	return cmd
}

// withEndpointHint adds how to list the endpoints to the error of one that does not exist.
func (a *app) withEndpointHint(err error, uid string) error {
	if fault.HasCode(err, fault.CodeNotFound) {
		return withHint(err, "list the webhook endpoints with %s", a.command("webhook-endpoint list "+uid))
	}
	return err
}

func newWebhookEndpointRotateCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "rotate UID ID",
		Short:             "Replace the secret of a webhook endpoint",
		Long:              "Replace the secret of a webhook endpoint. For the next 24 hours webhooks have the signatures of both.",
		Example:           "  storefront webhook-endpoint rotate acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				rotated, secret, err := s.Endpoints.RotateEndpoint(cmd.Context(), a.caller(), args[1])
				if err != nil {
					return a.withEndpointHint(err, args[0])
				}
				return a.printSecret(rotated, secret, args[0])
			})
		},
	}
}

func newWebhookEndpointDeleteCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "delete UID ID",
		Short:             "Delete a webhook endpoint with its deliveries",
		Example:           "  storefront webhook-endpoint delete acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if err := s.Endpoints.DeleteEndpoint(cmd.Context(), a.caller(), args[1]); err != nil {
					return a.withEndpointHint(err, args[0])
				}
				return a.print(map[string]string{"deleted": args[1]}, func(w *table) { fmt.Fprintln(w, "Deleted.") })
			})
		},
	}
}

func newWebhookEndpointTestCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "test UID ID",
		Short:             "Send an event of the type test, and show the response",
		Example:           "  storefront webhook-endpoint test acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				sent, err := s.Endpoints.TestEndpoint(cmd.Context(), a.caller(), args[1])
				if err != nil {
					return a.withEndpointHint(err, args[0])
				}
				err = a.print(sent, func(w *table) {
					if sent.Status == endpoint.DeliverySent {
						fmt.Fprintf(w, "Accepted with %d in %d ms.\n", *sent.ResponseStatus, *sent.TookMs)
					}
				})
				if err == nil && sent.Status != endpoint.DeliverySent {
					err = fmt.Errorf("the endpoint has not accepted the webhook: %s", *sent.Error)
				}
				return err
			})
		},
	}
}

func newWebhookEndpointDeliveriesCommand(a *app) *cobra.Command {
	var status string
	var number, limit int
	cmd := &cobra.Command{
		Use:               "deliveries UID ID",
		Short:             "List the deliveries to a webhook endpoint, newest first",
		Example:           "  storefront webhook-endpoint deliveries acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY --status failed",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if status != "" && status != "waiting" && status != "sent" && status != "failed" {
				return &usageError{err: errors.New("--status must be waiting, sent or failed"), command: cmd.CommandPath()}
			}
			filter := endpoint.DeliveryFilter{Request: page.Request{Page: &number, Limit: &limit}, Status: endpoint.DeliveryStatus(status)}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.Endpoints.ListDeliveries(cmd.Context(), a.caller(), args[1], filter)
				if err != nil {
					return a.withEndpointHint(err, args[0])
				}
				return a.print(list, func(w *table) {
					if len(list.Nodes) == 0 {
						fmt.Fprintln(w, "No deliveries found.")
						return
					}
					heading(w, "ID", "EVENT", "AT", "STATUS", "[ATTEMPTS]", "RESPONSE", "NEXT", "ERROR…")
					for _, d := range list.Nodes {
						response, next, reason := "", "", ""
						if d.ResponseStatus != nil {
							response = strconv.Itoa(*d.ResponseStatus)
						}
						if d.NextAt != nil {
							next = w.time(*d.NextAt)
						}
						if d.Error != nil {
							reason = *d.Error
						}
						row(w, d.ID, d.Type, w.time(d.At), colour(d.Status), d.Attempts, response, next, printable(reason))
					}
				})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&status, "status", "", "only deliveries with this status: waiting, sent or failed")
	flags.IntVar(&number, "page", 1, "page number")
	flags.IntVar(&limit, "limit", page.DefaultLimit, "deliveries per page, 1 to 100; -1 means all")
	return cmd
}

func newWebhookEndpointRedeliverCommand(a *app) *cobra.Command {
	var delivery, from, to string
	cmd := &cobra.Command{
		Use:   "redeliver UID ID",
		Short: "Send events to a webhook endpoint again",
		Long: `Send the events of a time to a webhook endpoint again, and those that happened while it was inactive.
With --delivery, send that one again. A running server sends them. A webhook has the webhook-id that
it had before, by which a receiver recognizes what it already has.`,
		Example: `  storefront webhook-endpoint redeliver acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY --from 2026-03-01 --to 2026-03-02T12:00:00+06:00
  storefront webhook-endpoint redeliver acme 01KAMZ3V7T9S0E8GQ2W4B6N1XY --delivery 01KAN03V7T9S0E8GQ2W4B6N1XY`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if (from == "") == (delivery == "") {
				return &usageError{err: errors.New("add either --from, with or without --to, or --delivery"), command: cmd.CommandPath()}
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if delivery != "" {
					again, err := s.Endpoints.Redeliver(cmd.Context(), a.caller(), args[1], delivery)
					if err != nil {
						return err
					}
					return a.print(again, func(w *table) { fmt.Fprintln(w, "Queued.") })
				}
				start, err := a.parseTime(cmd, "from", from)
				if err != nil {
					return err
				}
				end, err := a.parseTime(cmd, "to", to)
				if err != nil {
					return err
				}
				if end == nil {
					end = new(time.Now())
				}
				queued, err := s.Endpoints.RedeliverRange(cmd.Context(), a.caller(), args[1], *start, *end)
				if err != nil {
					return a.withEndpointHint(err, args[0])
				}
				return a.print(queued, func(w *table) { fmt.Fprintf(w, "Queued: %d.\n", queued.Queued) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&from, "from", "", "events at or after this day or time, such as 2026-03-01")
	flags.StringVar(&to, "to", "", "events before this day or time (default now)")
	flags.StringVar(&delivery, "delivery", "", "ID of one delivery")
	return cmd
}
