package cmd

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/tenants"
)

// deleteEvent is the event that deletes a shipment at the simulated courier.
const deleteEvent = "delete"

// deleteShipment deletes the order's newest open shipment at the simulated courier, as a merchant does in
// the courier's panel. The shop is not notified.
func (a *app) deleteShipment(ctx context.Context, s *shop.Shop, simulator string, courier shop.Provider, invoice string) error {
	order, err := s.FindOrderAsStaff(ctx, access.Operator(), invoice)
	if err != nil {
		return err
	}
	for _, shipment := range slices.Backward(order.Shipments) {
		if shipment.Provider != courier || shipment.ConsignmentID == nil || shipment.Status == shop.ShipmentCancelled {
			continue
		}
		form := url.Values{"courier": {string(courier)}, "delete": {*shipment.ConsignmentID}}
		response, err := postForm(ctx, http.DefaultClient, strings.TrimSuffix(simulator, "/")+"/control/shipments", form)
		if err != nil {
			return withHint(fmt.Errorf("call the simulator: %w", err), "start storefront serve --dev, and pass the URL that it prints with --simulator")
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusNoContent {
			return fmt.Errorf("simulator: %s has no shipment %s", courier, *shipment.ConsignmentID)
		}
		result := map[string]any{"deleted": *shipment.ConsignmentID}
		return a.print(result, func(w io.Writer) { row(w, "Deleted", *shipment.ConsignmentID) })
	}
	return fmt.Errorf("the order has no shipment with %s", courier)
}

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
