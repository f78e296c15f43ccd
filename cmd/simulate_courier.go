package cmd

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"storefront/shop"
	"storefront/tenants"
)

// simulateCourier sends a courier's webhook to the server's public URL.
func (a *app) simulateCourier(ctx context.Context, uid string, courier shop.Provider, event, invoice string) error {
	return a.withTenants(ctx, func(t *tenants.Tenants) error {
		results, err := t.SimulateCourier(ctx, uid, courier, event, invoice)
		if err != nil {
			return withHint(err, "set the secret with %s, start the server, and pass its --public-url",
				a.command("plugin configure "+uid+" "+string(courier)+" KEY=VALUE"))
		}
		err = a.print(results, func(w io.Writer) {
			row(w, "EVENT", "STATUS", "URL")
			for _, r := range results {
				row(w, r.Event, r.Status, r.URL)
			}
		})
		for _, r := range results {
			if err == nil && r.Status != http.StatusOK && r.Status != http.StatusAccepted {
				err = withHint(fmt.Errorf("the shop responded with status %d to %s", r.Status, r.Event),
					"list the webhooks with %s", a.command("webhook list "+uid))
			}
		}
		return err
	})
}
