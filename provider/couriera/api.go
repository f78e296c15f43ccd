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

// reply is the shape of all answers.
type reply struct {
	Type    string              `json:"type"`
	Code    int                 `json:"code"`
	Message string              `json:"message"`
	Errors  map[string][]string `json:"errors"`
	Data    json.RawMessage     `json:"data"`
}

// Book hands a parcel over.
func (a *api) Book(ctx context.Context, access shop.PluginAccess, parcel shop.ShipmentRequest) (shop.BookedShipment, error) {
	order, err := newOrder(access.Settings, parcel)
	if err != nil {
		return shop.BookedShipment{}, err
	}
	var booked struct {
		ConsignmentID provider.Text `json:"consignment_id"`
		Status        string        `json:"order_status"`
		Fee           provider.Text `json:"delivery_fee"`
	}
	if err := a.call(ctx, access, http.MethodPost, "/orders", order, &booked); err != nil {
		return shop.BookedShipment{}, fmt.Errorf("book parcel: %w", err)
	}
	if booked.ConsignmentID == "" {
		return shop.BookedShipment{}, fmt.Errorf("book parcel: %w: the answer names no consignment", shop.ErrCourierUnknown)
	}
	result := shop.BookedShipment{ConsignmentID: string(booked.ConsignmentID), Event: booked.Status, Status: shop.ShipmentCreated}
	if fee, ok := parcel.Money.Parse(string(booked.Fee)); ok {
		result.Fee = &fee
	}
	return result, nil
}

// Find looks a parcel up by its consignment. The courier's interface knows no other way.
func (a *api) Find(ctx context.Context, access shop.PluginAccess, parcel shop.ShipmentRef) (shop.BookedShipment, error) {
	if parcel.ConsignmentID == "" {
		return shop.BookedShipment{}, fmt.Errorf("find parcel: %w", shop.ErrCourierUnsupported)
	}
	var found struct {
		ConsignmentID provider.Text `json:"consignment_id"`
		Status        string        `json:"order_status"`
		UpdatedAt     string        `json:"updated_at"`
	}
	if err := a.call(ctx, access, http.MethodGet, "/orders/"+url.PathEscape(parcel.ConsignmentID)+"/info", nil, &found); err != nil {
		return shop.BookedShipment{}, fmt.Errorf("find parcel: %w", err)
	}
	return shop.BookedShipment{
		ConsignmentID: parcel.ConsignmentID, Event: found.Status, Status: events[eventKey(found.Status)].status,
		At: provider.Payload{"updated_at": found.UpdatedAt}.Time(dhaka, "updated_at"),
	}, nil
}

// Price asks what carrying a parcel would cost.
func (a *api) Price(ctx context.Context, access shop.PluginAccess, parcel shop.ShipmentRequest, to shop.CourierPlace) (int64, error) {
	weight, err := kilograms(parcel.WeightGrams)
	if err != nil {
		return 0, err
	}
	question := map[string]any{
		"store_id": json.Number(access.Settings[keyStore]), "item_type": itemParcel, "delivery_type": deliveryNormal, "item_weight": weight,
		"recipient_city": to.City, "recipient_zone": to.Zone,
	}
	var price struct {
		Final provider.Text `json:"final_price"`
	}
	if err := a.call(ctx, access, http.MethodPost, "/merchant/price-plan", question, &price); err != nil {
		return 0, fmt.Errorf("ask for a price: %w", err)
	}
	fee, ok := parcel.Money.Parse(string(price.Final))
	if !ok {
		return 0, fmt.Errorf("ask for a price: %w: the answer has no price", shop.ErrCourierUnknown)
	}
	return fee, nil
}

// Check asks for the merchant's stores, and looks for the one that is set.
func (a *api) Check(ctx context.Context, access shop.PluginAccess) error {
	var list struct {
		Data []struct {
			ID     provider.Text `json:"store_id"`
			Name   string        `json:"store_name"`
			Active provider.Text `json:"is_active"`
		} `json:"data"`
	}
	if err := a.call(ctx, access, http.MethodGet, "/stores", nil, &list); err != nil {
		return fmt.Errorf("ask for the stores: %w", err)
	}
	for _, store := range list.Data {
		if string(store.ID) != access.Settings[keyStore] {
			continue
		}
		if store.Active == "0" || store.Active == "false" {
			return errors.New("the courier has not opened this store yet: parcels can not be picked up from it")
		}
		return nil
	}
	return fmt.Errorf("the credentials are right, and the courier has no store with this %s", keyStore)
}

// call sends one request and reads the data of its answer into out. A token that the courier no
// longer takes is replaced once: what was refused for its token has not been done.
func (a *api) call(ctx context.Context, access shop.PluginAccess, method, path string, in, out any) error {
	base := a.base[access.Mode]
	for _, fresh := range []bool{false, true} {
		token, err := a.token(ctx, access, fresh)
		if err != nil {
			return err
		}
		answer, err := a.client.CallJSON(ctx, method, base+apiPath+path, map[string]string{"Authorization": "Bearer " + token}, in)
		if err != nil {
			return callError(err)
		}
		if answer.Status != http.StatusUnauthorized || fresh {
			return read(access.Settings, answer, out)
		}
	}
	return nil
}

// callError says what a call without an answer means.
func callError(err error) error {
	if failure, ok := errors.AsType[*provider.Error](err); ok && failure.Ambiguous {
		return fmt.Errorf("%w: %w", shop.ErrCourierUnknown, err)
	}
	return fmt.Errorf("%w: %w", shop.ErrCourierRefused, err)
}

// read tells refusals, some of which come with the status 200, from what is not known.
func read(settings shop.PluginSettings, answer *provider.Response, out any) error {
	var r reply
	broken := json.Unmarshal(answer.Body, &r)
	switch {
	case answer.Status == http.StatusNotFound:
		return shop.ErrCourierNotFound
	case answer.Status >= 500, answer.Status < 300 && broken != nil:
		return fmt.Errorf("%w: it answered %d", shop.ErrCourierUnknown, answer.Status)
	case answer.Status >= 300, r.Type == "error", r.Code >= 400:
		return fmt.Errorf("%w: %d %s", shop.ErrCourierRefused, answer.Status, provider.Redact(settings, r.errorText()))
	}
	if err := json.Unmarshal(r.Data, out); err != nil {
		return fmt.Errorf("%w: its answer has another shape", shop.ErrCourierUnknown)
	}
	return nil
}

// errorText gives what the courier says is wrong.
func (r *reply) errorText() string {
	words := []string{r.Message}
	for _, field := range slices.Sorted(maps.Keys(r.Errors)) {
		words = append(words, field+": "+strings.Join(r.Errors[field], " "))
	}
	return strings.Join(words, " ")
}
