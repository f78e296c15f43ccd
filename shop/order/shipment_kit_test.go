package order_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"storefront/db"
	"storefront/provider"
	"storefront/provider/couriera"
	"storefront/provider/courierb"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/inbox"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

const (
	secretA = "a webhook secret"
	tokenB  = "a-webhook-token"
)

// courierShop is a shop with both couriers configured, which books shipments at the given base
// URLs.
type courierShop struct {
	*shop.Shop
	store *db.Store
	clock *shoptest.Clock
	mug   catalogue.Product
}

func newCourierShop(tb testing.TB, couriers string, gateways ...plugin.Plugin) *courierShop {
	tb.Helper()
	clock := shoptest.NewClock()
	client := provider.NewClient(provider.ClientConfig{AllowPrivate: true})
	s := &courierShop{clock: clock, store: shoptest.NewStore(tb, clock)}
	s.Shop = shoptest.New(tb, &shoptest.Options{Clock: clock, Store: s.store, PublicURL: "https://api.example", Plugins: append([]plugin.Plugin{
		couriera.New(couriera.Config{Client: client, Live: couriers, Now: clock.Now}),
		courierb.New(courierb.Config{Client: client, Live: couriers}),
	}, gateways...)})
	s.configure(tb, plugin.CourierA, map[string]any{
		"webhook_secret": secretA, "client_id": "client", "client_secret": "hush-client", "username": "shop@example.com",
		"password": "hush-password", "store_id": 7,
	})
	s.configure(tb, plugin.CourierB, map[string]any{"webhook_token": tokenB, "api_key": "hush-key", "secret_key": "hush-secret"})
	mug, err := s.Catalogue.CreateProduct(context.Background(), access.Operator(), catalogue.ProductInput{
		Title: "Mug", Variants: []catalogue.VariantInput{{Price: 450_00, Tracked: true, Stock: new(1_000_000)}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	s.mug = mug.Product
	return s
}

func (s *courierShop) configure(tb testing.TB, provider plugin.Provider, settings map[string]any) {
	tb.Helper()
	shoptest.ConfigurePlugin(tb, s.Shop, provider, settings)
}

// place places a COD order of two mugs for ৳970, delivery included.
func (s *courierShop) place(tb testing.TB) string {
	tb.Helper()
	order, err := s.Orders.PlaceOrder(context.Background(), access.Caller{}, shoptest.GuestOrder(s.mug.ID, 2), "")
	if err != nil {
		tb.Fatal(err)
	}
	return order.InvoiceUID
}

// recordShipment records a shipment by hand.
func (s *courierShop) recordShipment(tb testing.TB, invoice string, courier plugin.Provider, consignment string) {
	tb.Helper()
	if _, err := s.Orders.RecordShipment(context.Background(), access.Operator(), invoice,
		order.ShipmentInput{Provider: courier, ConsignmentID: consignment}); err != nil {
		tb.Fatal(err)
	}
}

func (s *courierShop) findOrder(tb testing.TB, invoice string) *order.Order {
	tb.Helper()
	order, err := s.Orders.FindOrderAsStaff(context.Background(), access.Operator(), invoice)
	if err != nil {
		tb.Fatal(err)
	}
	return &order.Order
}

// sendWebhook handles a webhook as the courier would send it.
func (s *courierShop) sendWebhook(tb testing.TB, courier plugin.Provider, body string) {
	tb.Helper()
	header := http.Header{}
	header.Set("X-CourierA-Signature", secretA)
	header.Set("Authorization", "Bearer "+tokenB)
	_, err := s.Orders.HandleCourierWebhook(context.Background(), courier, "application/json", plugin.WebhookRequest{
		Header: header.Get, Body: []byte(body),
	})
	if err != nil {
		tb.Fatalf("%s %s: %v", courier, body, err)
	}
}

// lastWebhook returns the webhook that was received last.
func (s *courierShop) lastWebhook(tb testing.TB) inbox.Webhook {
	tb.Helper()
	page, err := s.Inbox.ListWebhooks(context.Background(), access.Operator(), inbox.WebhookFilter{})
	if err != nil || len(page.Nodes) == 0 {
		tb.Fatalf("got no webhooks: %v", err)
	}
	return page.Nodes[0]
}

// state returns the statuses of an order and its shipments in one line.
func state(o *order.Order) string {
	var shipments []string
	for _, p := range o.Shipments {
		shipments = append(shipments, string(p.Status))
	}
	slices.Sort(shipments)
	return fmt.Sprint(shipments, " ", o.FulfillmentStatus, " ", o.Status, " ", o.PaymentStatus)
}

// number runs a query that returns one number.
func (s *courierShop) number(tb testing.TB, query string, args ...any) int64 {
	tb.Helper()
	return shoptest.Number(tb, s.store, s.UID(), query, args...)
}

// setStock sets the stock of the mug.
func (s *courierShop) setStock(tb testing.TB, stock int64) {
	tb.Helper()
	if _, err := s.Catalogue.ChangeStock(context.Background(), access.Operator(), s.mug.Variants[0].ID, catalogue.StockChange{Set: &stock}); err != nil {
		tb.Fatal(err)
	}
}

// checkBooks checks the invariants of the shop's data.
func (s *courierShop) checkBooks(tb testing.TB) {
	tb.Helper()
	if faults, err := s.CheckInvariants(tb.Context()); err != nil || len(faults) > 0 {
		tb.Errorf("got broken invariants %q, %v", faults, err)
	}
}
