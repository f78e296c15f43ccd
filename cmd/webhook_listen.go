package cmd

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/endpoint"
	"storefront/shop/live"
	"storefront/shop/outbox"
)

func newWebhookListenCommand(a *app) *cobra.Command {
	var after int64
	var target string
	var full bool
	cmd := &cobra.Command{
		Use:   "listen UID --forward URL",
		Short: "Send the events of a shop to a program on this machine",
		Long: `Send the events of a shop, as they happen, to a program that you develop: the same requests as a webhook
endpoint gets, with a secret that is printed first and valid for this run. Nothing is stored, so an event is
sent once, also if it is refused. Without --after, send only new events. Press Ctrl+C to stop.`,
		Example: `  storefront webhook listen acme --forward http://localhost:3000/hooks
  storefront webhook listen acme --forward http://localhost:3000/hooks --after 0 --full`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if to, err := url.Parse(target); err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
				return &usageError{err: fmt.Errorf("--forward must be a URL such as http://localhost:3000/hooks"), command: cmd.CommandPath()}
			}
			a.privateProviders = true // the program is on this machine
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				key, secret := endpoint.NewSecret()
				f := forwarder{app: a, shop: s, key: key, url: target, full: full}
				err := a.print(struct {
					Secret string `json:"secret"`
				}{secret}, func(w *table) { fmt.Fprintf(w, "Signed with %s\n", secret) })
				if err != nil {
					return err
				}
				return a.followEvents(cmd, s, after, func(e live.Event) error { return f.forward(cmd.Context(), e) })
			})
		},
	}
	cmd.Flags().StringVar(&target, "forward", "", "URL of the program")
	cmd.Flags().Int64Var(&after, "after", 0, "begin with the events after this number")
	cmd.Flags().BoolVar(&full, "full", false, "add the order to events of orders and shipments")
	_ = cmd.MarkFlagRequired("forward") // it exists
	return cmd
}

// forwarder sends events to a program on this machine.
type forwarder struct {
	*app
	shop *shop.Shop
	key  []byte
	url  string
	full bool
}

// forwarded is an event that was sent.
type forwarded struct {
	live.Event
	Status int    `json:"responseStatus"` // 0: there was no response
	Error  string `json:"error,omitempty"`
}

func (f *forwarder) forward(ctx context.Context, e live.Event) error {
	if e.Type == live.Reset { // not an event of webhooks
		return nil
	}
	var order any
	if f.full && endpoint.HasOrder(e.Type) {
		found, err := f.shop.Orders.FindOrderAsStaff(ctx, f.caller(), e.Subject)
		if err != nil {
			return err
		}
		order = found
	}
	event := outbox.Event{Seq: e.Seq, At: e.At, Type: e.Type, Subject: e.Subject, Data: e.Data}
	text, err := endpoint.Body(db.ID(f.shop.UID()), event, order)
	if err != nil {
		return err
	}
	sent := forwarded{Event: e}
	response, err := f.shop.Endpoints.Forward(ctx, f.caller(), endpoint.Webhook{
		ID: fmt.Sprintf("msg_%d_listen", e.Seq), URL: f.url, At: time.Now(), Body: text, Keys: [][]byte{f.key},
	})
	if sent.Status = response.Status; err != nil {
		sent.Error = err.Error()
	}
	return f.print(sent, func(w *table) {
		result := fmt.Sprint(sent.Status)
		if err != nil {
			result = sent.Error
		}
		fmt.Fprintf(w, "%d %s %s %s\n", e.Seq, e.Type, e.Subject, result)
	})
}
