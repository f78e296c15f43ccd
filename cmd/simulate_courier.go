package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/plugin"
	"storefront/shop/status"
	"storefront/tenants"
)

// deleteEvent is the event that deletes a shipment at the simulated courier.
const deleteEvent = "delete"

// deleteShipment deletes the order's newest open shipment at the simulated courier, as a merchant
// does in the courier's panel. The shop is not notified.
func (a *app) deleteShipment(ctx context.Context, s *shop.Shop, simulator string, courier plugin.Provider, invoice string) error {
	if simulator == "" {
		return errNoSimulator()
	}
	order, err := a.findOrder(ctx, s, invoice)
	if err != nil {
		return err
	}
	for _, shipment := range slices.Backward(order.Shipments) {
		if shipment.Provider != courier || shipment.ConsignmentID == nil || shipment.Status == status.ShipmentCancelled {
			continue
		}
		form := url.Values{"courier": {string(courier)}, "delete": {*shipment.ConsignmentID}}
		if err := changeShipment(ctx, simulator, form); err != nil {
			return fmt.Errorf("delete shipment %s of %s: %w", *shipment.ConsignmentID, courier, err)
		}
		result := map[string]any{"deleted": *shipment.ConsignmentID}
		return a.print(result, func(w *table) { row(w, "Deleted", *shipment.ConsignmentID) })
	}
	return fmt.Errorf("the order has no shipment with %s", courier)
}

// errNoShipment means that the simulated courier does not know a shipment, such as one recorded by
// hand.
var errNoShipment = errors.New("the simulated courier has no such shipment")

// changeShipment changes a shipment at the simulated courier. The error is errNoShipment if it has
// none.
func changeShipment(ctx context.Context, simulator string, form url.Values) error {
	response, err := postForm(ctx, http.DefaultClient, strings.TrimSuffix(simulator, "/")+"/control/shipments", form)
	if err != nil {
		return withHint(fmt.Errorf("call the simulator: %w", err), "start storefront serve --dev, or pass the URL that it prints with --simulator")
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		return errNoShipment
	}
	return nil
}

// courierSimulation is the input of a simulated courier's event.
type courierSimulation struct {
	simulator string // URL; "" if there is none: then look-ups do not report the event
	tenants.CourierSimulation
}

// simulateCourier moves a shipment at the simulated courier, and sends the courier's webhook to the
// server's public URL unless it is lost.
func (a *app) simulateCourier(cmd *cobra.Command, uid string, courier plugin.Provider, in courierSimulation, collect string) error {
	if in.simulator == "" && in.Lost {
		return errNoSimulator()
	}
	if in.simulator != "" {
		in.Move = in.mover(courier)
	}
	ctx := cmd.Context()
	return a.withTenants(ctx, func(t *tenants.Tenants) error {
		s, err := t.FindIncludingSuspended(ctx, uid)
		if err != nil {
			return err
		}
		if in.Collected, err = parseAmountFlag(cmd, s, "collect", collect, 0); err != nil {
			return err
		}
		if in.InvoiceUID != "" {
			if in.InvoiceUID, err = s.Orders.FindInvoiceUID(ctx, a.caller(), in.InvoiceUID); err != nil {
				return a.withOrderHint(err, uid)
			}
		}
		results, err := t.SimulateCourier(ctx, uid, courier, in.CourierSimulation)
		if err != nil {
			return withHint(err, "set the secret with %s, start the server, and pass its --public-url",
				a.command("plugin configure "+uid+" "+string(courier)+" KEY=VALUE"))
		}
		if in.Lost {
			return a.print(results, func(w *table) { row(w, "Not sent", len(results)) })
		}
		return a.printSimulated(uid, results)
	})
}

// mover returns a function that moves a shipment at the simulated courier.
func (in courierSimulation) mover(courier plugin.Provider) func(ctx context.Context, consignmentID, event string) error {
	return func(ctx context.Context, consignmentID, event string) error {
		change := url.Values{"courier": {string(courier)}, "move": {consignmentID}, "event": {event}}
		err := changeShipment(ctx, in.simulator, change)
		if errors.Is(err, errNoShipment) && !in.Lost {
			return nil
		}
		return err
	}
}

// printSimulated prints the shop's responses to webhooks. A response that refuses one is an error.
func (a *app) printSimulated(uid string, results []tenants.CourierTestResult) error {
	err := a.print(results, func(w *table) {
		heading(w, "EVENT", "STATUS", "URL…")
		for _, r := range results {
			row(w, r.Event, r.Status, r.URL)
		}
	})
	if err != nil {
		return err
	}
	for _, r := range results {
		if r.Status != http.StatusOK && r.Status != http.StatusAccepted {
			return withHint(fmt.Errorf("the shop responded with status %d to %s", r.Status, r.Event),
				"list the webhooks with %s", a.command("webhook list "+uid))
		}
	}
	return nil
}
