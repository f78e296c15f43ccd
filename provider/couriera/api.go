package couriera

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"storefront/provider"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// api implements [plugin.Courier], [plugin.Checker] and [plugin.PlaceDirectory].
type api struct {
	client *provider.Client
	base   map[plugin.Mode]string
	now    func() time.Time
}

const apiPath = "/aladdin/api/v1"

// reply is the envelope of every response.
type reply struct {
	Type string          `json:"type"`
	Code provider.Text   `json:"code"` // an HTTP status, as a number or as text
	Data json.RawMessage `json:"data"`
}

// Refusals implements [plugin.Courier].
func (*api) Refusals(shipment plugin.ShipmentRequest) []plugin.ShipmentProblem {
	return refusals(shipment)
}

// Book implements [plugin.Courier].
func (a *api) Book(ctx context.Context, access plugin.Access, shipment plugin.ShipmentRequest) (plugin.BookedShipment, error) {
	order, err := newOrder(access.Settings, shipment)
	if err != nil {
		return plugin.BookedShipment{}, err
	}
	var booked struct {
		ConsignmentID provider.Text `json:"consignment_id"`
		Status        string        `json:"order_status"`
		Fee           provider.Text `json:"delivery_fee"`
	}
	if err := a.call(ctx, access, http.MethodPost, "/orders", order, &booked); err != nil {
		return plugin.BookedShipment{}, fmt.Errorf("book shipment: %w", err)
	}
	if booked.ConsignmentID == "" {
		return plugin.BookedShipment{}, fmt.Errorf("book shipment: %w: the response has no consignment ID", plugin.ErrCourierUnknown)
	}
	result := plugin.BookedShipment{ConsignmentID: string(booked.ConsignmentID), Event: booked.Status, Status: status.ShipmentCreated}
	if fee, ok := provider.ParseAmount(string(booked.Fee), shipment.Currency); ok {
		result.Fee = &fee
	}
	return result, nil
}

// Find returns the status of the shipment with a consignment ID. The courier's API has no other
// lookup, so the error for a reference without a consignment ID is [plugin.ErrCourierUnsupported].
func (a *api) Find(ctx context.Context, access plugin.Access, shipment plugin.ShipmentRef) (plugin.BookedShipment, error) {
	if shipment.ConsignmentID == "" {
		return plugin.BookedShipment{}, fmt.Errorf("find shipment: %w", plugin.ErrCourierUnsupported)
	}
	var data json.RawMessage
	if err := a.call(ctx, access, http.MethodGet, "/orders/"+url.PathEscape(shipment.ConsignmentID)+"/info", nil, &data); err != nil {
		return plugin.BookedShipment{}, fmt.Errorf("find shipment: %w", err)
	}
	found, err := provider.ReadPayload(data)
	if err != nil {
		return plugin.BookedShipment{}, fmt.Errorf("find shipment: %w: unreadable response", plugin.ErrCourierUnknown)
	}
	var e plugin.CourierEvent // a look-up reports what a webhook does
	fillShipmentEvent(&e, found, events[eventKey(found["order_status"])], shipment.Currency)
	return plugin.BookedShipment{
		ConsignmentID: shipment.ConsignmentID, Event: found["order_status"], Status: e.Status, Message: e.Message, Problem: e.Problem,
		At: e.At, Fee: e.Fee, Collected: e.Collected, PaidOut: e.PaidOut, Statement: e.Statement,
	}, nil
}

// Price returns the courier's delivery fee for shipment, and its share of the collected cash.
func (a *api) Price(ctx context.Context, access plugin.Access, shipment plugin.ShipmentRequest, to plugin.CourierPlace) (plugin.CourierPrice, error) {
	if err := plugin.RefuseShipment(weightRefusals(shipment)); err != nil {
		return plugin.CourierPrice{}, err
	}
	query := map[string]any{
		"store_id": json.Number(access.Settings[keyStore]), "item_type": itemParcel, "delivery_type": deliveryNormal,
		"item_weight": kilograms(shipment.WeightGrams), "recipient_city": to.City, "recipient_zone": to.Zone,
	}
	var answer struct {
		Final    provider.Text `json:"final_price"`
		CashRate provider.Text `json:"cod_percentage"`
	}
	if err := a.call(ctx, access, http.MethodPost, "/merchant/price-plan", query, &answer); err != nil {
		return plugin.CourierPrice{}, fmt.Errorf("price shipment: %w", err)
	}
	fee, ok := provider.ParseAmount(string(answer.Final), shipment.Currency)
	if !ok {
		return plugin.CourierPrice{}, fmt.Errorf("price shipment: %w: the response has no price", plugin.ErrCourierUnknown)
	}
	return plugin.CourierPrice{Fee: fee, CashRate: cashRate(string(answer.CashRate))}, nil
}

// maxCashFraction separates the two notations of the courier's share of the cash: its price plan
// has a fraction (0.01), its contracts a percentage (1).
const maxCashFraction = 0.2

// cashRate parses the courier's share of the collected cash and returns basis points; nil if there
// is none.
func cashRate(text string) *int64 {
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || rate < 0 || rate > 100 {
		return nil
	}
	if rate < maxCashFraction {
		rate *= 100
	}
	return new(int64(math.Round(rate * 100)))
}

// Check lists the merchant's stores and verifies that the configured one is active.
func (a *api) Check(ctx context.Context, access plugin.Access) error {
	stores, err := a.stores(ctx, access)
	if err != nil {
		return fmt.Errorf("list stores: %w", err)
	}
	for _, store := range stores {
		if string(store.StoreID) != access.Settings[keyStore] {
			continue
		}
		if store.Active == "0" || store.Active == "false" {
			return &plugin.Refusal{Kind: plugin.ErrCourierRefused, Words: "the store is not active, so shipments cannot be picked up there"}
		}
		return nil
	}
	return &plugin.Refusal{Kind: plugin.ErrCourierRefused, Words: "the credentials are valid, but the courier has no store with this " + keyStore}
}

// call sends one request and decodes the data of the response into out. If the courier rejects the
// access token, call retries once with a new one: a request rejected for its token had no effect.
func (a *api) call(ctx context.Context, access plugin.Access, method, path string, in, out any) error {
	base := a.base[access.Mode]
	for _, fresh := range []bool{false, true} {
		token, err := a.token(ctx, access, fresh)
		if err != nil {
			return err
		}
		resp, err := a.client.CallJSON(ctx, method, base+apiPath+path, map[string]string{"Authorization": "Bearer " + token}, in)
		if err != nil {
			return callError(err)
		}
		if resp.Status != http.StatusUnauthorized || fresh {
			return decode(access.Settings, resp, out)
		}
	}
	return nil
}

// callError classifies the error of a call without a response.
func callError(err error) error {
	if failure, ok := errors.AsType[*provider.Error](err); ok && failure.Ambiguous {
		return fmt.Errorf("%w: %w", plugin.ErrCourierUnknown, err)
	}
	return fmt.Errorf("%w: %w", plugin.ErrCourierRefused, err)
}

// decode decodes the data of a response into out. Some refusals have the HTTP status 200.
func decode(settings plugin.Settings, resp *provider.Response, out any) error {
	var r reply
	decodeErr := json.Unmarshal(provider.TrimBOM(resp.Body), &r)
	code, _ := strconv.Atoi(string(r.Code)) // 0 if there is none
	switch {
	case resp.Status == http.StatusNotFound, resp.Status < 300 && code == http.StatusNotFound:
		return provider.Refusal(plugin.ErrCourierNotFound, http.StatusNotFound, settings, resp.Body)
	case resp.Status >= 500, resp.Status < 300 && decodeErr != nil:
		return fmt.Errorf("%w: status %d", plugin.ErrCourierUnknown, resp.Status)
	case resp.Status >= 300, r.Type == "error", code >= 400:
		return provider.Refusal(plugin.ErrCourierRefused, max(resp.Status, code), settings, resp.Body)
	}
	if err := json.Unmarshal(r.Data, out); err != nil {
		return fmt.Errorf("%w: unreadable response", plugin.ErrCourierUnknown)
	}
	return nil
}
