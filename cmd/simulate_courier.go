package cmd

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"storefront/shop"
	"storefront/tenants"
)

// simulateCourier makes a courier's call at the server's public address.
func (a *app) simulateCourier(ctx context.Context, uid string, courier shop.Provider, event, invoice string) error {
	return a.withTenants(ctx, func(t *tenants.Tenants) error {
		trials, err := t.SimulateCourier(ctx, uid, courier, event, invoice)
		if err != nil {
			return withHint(err, "%s, and start the server; --public-url says where it is", a.command("plugin configure "+uid+" "+string(courier)+" KEY=VALUE"))
		}
		err = a.print(trials, func(w io.Writer) {
			row(w, "EVENT", "ANSWER", "ADDRESS")
			for _, trial := range trials {
				row(w, trial.Event, trial.Status, trial.URL)
			}
		})
		for _, trial := range trials {
			if err == nil && trial.Status != http.StatusOK && trial.Status != http.StatusAccepted {
				err = withHint(fmt.Errorf("the shop answers %d to %s", trial.Status, trial.Event), "%s", a.command("webhook list "+uid))
			}
		}
		return err
	})
}
