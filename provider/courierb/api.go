package courierb

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

	"storefront/provider"
	"storefront/shop"
)

// api implements shop.Courier and shop.Checker.
type api struct {
	client *provider.Client
	base   map[shop.Mode]string
}

// reply is the shape of all answers; which fields are there depends on the question.
type reply struct {
	Status      int             `json:"status"` // as HTTP has it, also where HTTP itself says 200
	Message     string          `json:"message"`
	Errors      json.RawMessage `json:"errors"`
	Consignment struct {
		ID       provider.Text `json:"consignment_id"`
		Tracking provider.Text `json:"tracking_code"`
		Status   string        `json:"status"`
	} `json:"consignment"`
	DeliveryStatus string `json:"delivery_status"`
	Tracking       []struct {
		ConsignmentID provider.Text `json:"consignment_id"`
	} `json:"tracking"`
}

// Book hands a parcel over. A reference that is taken is refused, so that nothing is booked twice.
func (a *api) Book(ctx context.Context, access shop.PluginAccess, parcel shop.ShipmentRequest) (shop.BookedShipment, error) {
	order, err := newOrder(parcel)
	if err != nil {
		return shop.BookedShipment{}, err
	}
	r, err := a.call(ctx, access, http.MethodPost, "/create_order", order)
	if err != nil {
		return shop.BookedShipment{}, fmt.Errorf("book parcel: %w", err)
	}
	if r.Consignment.ID == "" {
		return shop.BookedShipment{}, fmt.Errorf("book parcel: %w: the answer names no consignment", shop.ErrCourierUnknown)
	}
	return shop.BookedShipment{
		ConsignmentID: string(r.Consignment.ID), TrackingCode: string(r.Consignment.Tracking),
		Event: r.Consignment.Status, Status: shop.ShipmentCreated,
	}, nil
}

// Find looks a parcel up. By our reference the courier names the consignment only once it has news
// of it: until then the parcel is there without one.
func (a *api) Find(ctx context.Context, access shop.PluginAccess, parcel shop.ShipmentRef) (shop.BookedShipment, error) {
	path := "/status_by_cid/" + url.PathEscape(parcel.ConsignmentID)
	if parcel.ConsignmentID == "" {
		path = "/status_by_invoice/" + url.PathEscape(parcel.Ref)
	}
	r, err := a.call(ctx, access, http.MethodGet, path, nil)
	if err != nil {
		return shop.BookedShipment{}, fmt.Errorf("find parcel: %w", err)
	}
	status := provider.Slug(r.DeliveryStatus, "_")
	found := shop.BookedShipment{ConsignmentID: parcel.ConsignmentID, Event: status, Status: statuses[status].status}
	if found.ConsignmentID != "" {
		return found, nil
	}
	r, err = a.call(ctx, access, http.MethodGet, "/trackings_by_invoice/"+url.PathEscape(parcel.Ref), nil)
	if err != nil && !errors.Is(err, shop.ErrCourierNotFound) {
		return shop.BookedShipment{}, fmt.Errorf("find consignment: %w", err)
	}
	for _, entry := range r.Tracking {
		if entry.ConsignmentID != "" {
			found.ConsignmentID = string(entry.ConsignmentID)
		}
	}
	return found, nil
}

// Price is not to be had from this courier.
func (*api) Price(context.Context, shop.PluginAccess, shop.ShipmentRequest, shop.CourierPlace) (int64, error) {
	return 0, fmt.Errorf("ask for a price: %w", shop.ErrCourierUnsupported)
}

// Check asks for the merchant's balance.
func (a *api) Check(ctx context.Context, access shop.PluginAccess) error {
	if _, err := a.call(ctx, access, http.MethodGet, "/get_balance", nil); err != nil {
		return fmt.Errorf("ask for the balance: %w", err)
	}
	return nil
}

// call sends one request.
func (a *api) call(ctx context.Context, access shop.PluginAccess, method, path string, in any) (reply, error) {
	base := a.base[access.Mode]
	if base == "" {
		return reply{}, fmt.Errorf("%w: it has no test world; switch the shop to live, or use the simulator", shop.ErrCourierRefused)
	}
	keys := map[string]string{"Api-Key": access.Settings[keyAPI], "Secret-Key": access.Settings[keySecret], "Content-Type": "application/json"}
	answer, err := a.client.CallJSON(ctx, method, base+path, keys, in)
	if failure, ok := errors.AsType[*provider.Error](err); ok && failure.Ambiguous {
		return reply{}, fmt.Errorf("%w: %w", shop.ErrCourierUnknown, err)
	}
	if err != nil {
		return reply{}, fmt.Errorf("%w: %w", shop.ErrCourierRefused, err)
	}
	return read(access.Settings, answer)
}

// read tells refusals, some of which come with the status 200, from what is not known.
func read(settings shop.PluginSettings, answer *provider.Response) (reply, error) {
	var r reply
	broken := json.Unmarshal(answer.Body, &r)
	status := answer.Status
	if status < 300 && r.Status != 0 {
		status = r.Status
	}
	switch {
	case status == http.StatusNotFound:
		return reply{}, shop.ErrCourierNotFound
	case status >= 500, status < 300 && broken != nil:
		return reply{}, fmt.Errorf("%w: it answered %d", shop.ErrCourierUnknown, status)
	case status >= 300:
		return reply{}, fmt.Errorf("%w: %d %s", shop.ErrCourierRefused, status, provider.Redact(settings, r.errorText()))
	}
	return r, nil
}

// errorText gives what the courier says is wrong.
func (r *reply) errorText() string {
	words := []string{r.Message}
	var errs map[string][]string
	if json.Unmarshal(r.Errors, &errs) == nil {
		for _, field := range slices.Sorted(maps.Keys(errs)) {
			words = append(words, field+": "+strings.Join(errs[field], " "))
		}
	}
	return strings.Join(words, " ")
}
