package couriera

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"storefront/provider"
	"storefront/shop"
)

// api implements shop.Courier and shop.Checker.
type api struct {
	client *provider.Client
	base   map[shop.Mode]string
	now    func() time.Time
}

const apiPath = "/aladdin/api/v1"

// reply is the envelope of every response.
type reply struct {
	Type    string              `json:"type"`
	Code    int                 `json:"code"`
	Message string              `json:"message"`
	Errors  map[string][]string `json:"errors"`
	Data    json.RawMessage     `json:"data"`
}

// Book implements [shop.Courier].
func (a *api) Book(ctx context.Context, access shop.PluginAccess, shipment shop.ShipmentRequest) (shop.BookedShipment, error) {
	order, err := newOrder(access.Settings, shipment)
	if err != nil {
		return shop.BookedShipment{}, err
	}
	var booked struct {
		ConsignmentID provider.Text `json:"consignment_id"`
		Status        string        `json:"order_status"`
		Fee           provider.Text `json:"delivery_fee"`
	}
	if err := a.call(ctx, access, http.MethodPost, "/orders", order, &booked); err != nil {
		return shop.BookedShipment{}, fmt.Errorf("book shipment: %w", err)
	}
	if booked.ConsignmentID == "" {
		return shop.BookedShipment{}, fmt.Errorf("book shipment: %w: the response has no consignment ID", shop.ErrCourierUnknown)
	}
	result := shop.BookedShipment{ConsignmentID: string(booked.ConsignmentID), Event: booked.Status, Status: shop.ShipmentCreated}
	if fee, ok := shipment.Currency.Parse(string(booked.Fee)); ok {
		result.Fee = &fee
	}
	return result, nil
}

// Find returns the status of the shipment with a consignment ID. The courier's API has no other
// lookup, so a reference without a consignment ID is [shop.ErrCourierUnsupported].
func (a *api) Find(ctx context.Context, access shop.PluginAccess, shipment shop.ShipmentRef) (shop.BookedShipment, error) {
	if shipment.ConsignmentID == "" {
		return shop.BookedShipment{}, fmt.Errorf("find shipment: %w", shop.ErrCourierUnsupported)
	}
	var found struct {
		ConsignmentID provider.Text `json:"consignment_id"`
		Status        string        `json:"order_status"`
		UpdatedAt     string        `json:"updated_at"`
	}
	if err := a.call(ctx, access, http.MethodGet, "/orders/"+url.PathEscape(shipment.ConsignmentID)+"/info", nil, &found); err != nil {
		return shop.BookedShipment{}, fmt.Errorf("find shipment: %w", err)
	}
	return shop.BookedShipment{
		ConsignmentID: shipment.ConsignmentID, Event: found.Status, Status: events[eventKey(found.Status)].status,
		At: provider.Payload{"updated_at": found.UpdatedAt}.Time(dhaka, "updated_at"),
	}, nil
}

// Price returns the courier's delivery fee for shipment in minor units.
func (a *api) Price(ctx context.Context, access shop.PluginAccess, shipment shop.ShipmentRequest, to shop.CourierPlace) (int64, error) {
	weight, err := kilograms(shipment.WeightGrams)
	if err != nil {
		return 0, err
	}
	query := map[string]any{
		"store_id": json.Number(access.Settings[keyStore]), "item_type": itemParcel, "delivery_type": deliveryNormal,
		"item_weight": weight, "recipient_city": to.City, "recipient_zone": to.Zone,
	}
	var price struct {
		Final provider.Text `json:"final_price"`
	}
	if err := a.call(ctx, access, http.MethodPost, "/merchant/price-plan", query, &price); err != nil {
		return 0, fmt.Errorf("price shipment: %w", err)
	}
	fee, ok := shipment.Currency.Parse(string(price.Final))
	if !ok {
		return 0, fmt.Errorf("price shipment: %w: the response has no price", shop.ErrCourierUnknown)
	}
	return fee, nil
}

// Check lists the merchant's stores and verifies that the configured one is active.
func (a *api) Check(ctx context.Context, access shop.PluginAccess) error {
	var list struct {
		Data []struct {
			ID     provider.Text `json:"store_id"`
			Name   string        `json:"store_name"`
			Active provider.Text `json:"is_active"`
		} `json:"data"`
	}
	if err := a.call(ctx, access, http.MethodGet, "/stores", nil, &list); err != nil {
		return fmt.Errorf("list stores: %w", err)
	}
	for _, store := range list.Data {
		if string(store.ID) != access.Settings[keyStore] {
			continue
		}
		if store.Active == "0" || store.Active == "false" {
			return errors.New("the courier has not activated this store, so shipments cannot be picked up there")
		}
		return nil
	}
	return fmt.Errorf("the credentials are valid, but the courier has no store with this %s", keyStore)
}

// call sends one request and decodes the data of the response into out. If the courier rejects the
// access token, call retries once with a new one: a request rejected for its token had no effect.
func (a *api) call(ctx context.Context, access shop.PluginAccess, method, path string, in, out any) error {
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
		return fmt.Errorf("%w: %w", shop.ErrCourierUnknown, err)
	}
	return fmt.Errorf("%w: %w", shop.ErrCourierRefused, err)
}

// decode decodes the data of a response into out. Some refusals have the HTTP status 200.
func decode(settings shop.PluginSettings, resp *provider.Response, out any) error {
	var r reply
	decodeErr := json.Unmarshal(resp.Body, &r)
	switch {
	case resp.Status == http.StatusNotFound:
		return shop.ErrCourierNotFound
	case resp.Status >= 500, resp.Status < 300 && decodeErr != nil:
		return fmt.Errorf("%w: status %d", shop.ErrCourierUnknown, resp.Status)
	case resp.Status >= 300, r.Type == "error", r.Code >= 400:
		return fmt.Errorf("%w: status %d: %s", shop.ErrCourierRefused, resp.Status, provider.Redact(settings, r.errorText()))
	}
	if err := json.Unmarshal(r.Data, out); err != nil {
		return fmt.Errorf("%w: unreadable response", shop.ErrCourierUnknown)
	}
	return nil
}

// errorText returns the message and the errors of the fields in one line.
func (r *reply) errorText() string {
	texts := []string{r.Message}
	for _, field := range slices.Sorted(maps.Keys(r.Errors)) {
		texts = append(texts, field+": "+strings.Join(r.Errors[field], " "))
	}
	return strings.Join(texts, " ")
}
