package courierb

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"storefront/provider"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// api implements [plugin.Courier], [plugin.Checker], [plugin.PlaceDirectory],
// [plugin.CourierAccount] and [plugin.PhoneRecords].
type api struct {
	client *provider.Client
	base   map[plugin.Mode]string
}

// reply is the union of all responses. The request determines which fields are set.
type reply struct {
	// Status is an HTTP status, as a number or as text, also if the HTTP response itself has 200.
	Status      provider.Text `json:"status"`
	Consignment struct {
		ID       provider.Text `json:"consignment_id"`
		Tracking provider.Text `json:"tracking_code"`
		Status   string        `json:"status"`
	} `json:"consignment"`
	DeliveryStatus string `json:"delivery_status"`
	ReturnStatus   string `json:"return_status"`
	Tracking       []struct {
		ConsignmentID provider.Text `json:"consignment_id"`
	} `json:"tracking"`
	Balance  provider.Text `json:"current_balance"`
	Payments []payment     `json:"payments"`
}

// Refusals implements [plugin.Courier].
func (*api) Refusals(shipment plugin.ShipmentRequest) []plugin.ShipmentProblem {
	return refusals(shipment)
}

// Book implements [plugin.Courier]. The courier refuses an invoice that it already has, so
// repeating a booking with the same reference cannot book twice.
func (a *api) Book(ctx context.Context, access plugin.Access, shipment plugin.ShipmentRequest) (plugin.BookedShipment, error) {
	order, err := newOrder(shipment)
	if err != nil {
		return plugin.BookedShipment{}, err
	}
	r, err := a.call(ctx, access, http.MethodPost, "/create_order", order)
	if err != nil {
		return plugin.BookedShipment{}, fmt.Errorf("book shipment: %w", err)
	}
	if r.Consignment.ID == "" {
		return plugin.BookedShipment{}, fmt.Errorf("book shipment: %w: the response has no consignment ID", plugin.ErrCourierUnknown)
	}
	return plugin.BookedShipment{
		ConsignmentID: string(r.Consignment.ID), TrackingCode: string(r.Consignment.Tracking),
		Event: r.Consignment.Status, Status: status.ShipmentCreated,
	}, nil
}

// Find returns the status of a shipment, by consignment ID or else by our reference. By reference,
// the consignment ID stays empty until the courier has recorded a tracking event. A shipment that
// may be on its way back has an address of its own, which alone reports the return.
func (a *api) Find(ctx context.Context, access plugin.Access, shipment plugin.ShipmentRef) (plugin.BookedShipment, error) {
	path := "/status_by_cid/"
	if shipment.Returning {
		path = "/status_with_return_status_by_cid/"
	}
	path += url.PathEscape(shipment.ConsignmentID)
	if shipment.ConsignmentID == "" {
		path = "/status_by_invoice/" + url.PathEscape(shipment.Ref)
	}
	r, err := a.call(ctx, access, http.MethodGet, path, nil)
	if err != nil {
		return plugin.BookedShipment{}, fmt.Errorf("find shipment: %w", err)
	}
	status := provider.Slug(cmp.Or(r.ReturnStatus, r.DeliveryStatus), "_")
	meaning := statuses[status]
	found := plugin.BookedShipment{
		ConsignmentID: shipment.ConsignmentID, Event: status, Status: meaning.status, Message: meaning.message, Problem: meaning.problem,
	}
	if found.ConsignmentID != "" {
		return found, nil
	}
	r, err = a.call(ctx, access, http.MethodGet, "/trackings_by_invoice/"+url.PathEscape(shipment.Ref), nil)
	if err != nil && !errors.Is(err, plugin.ErrCourierNotFound) {
		return plugin.BookedShipment{}, fmt.Errorf("find consignment: %w", err)
	}
	for _, entry := range r.Tracking {
		if entry.ConsignmentID != "" {
			found.ConsignmentID = string(entry.ConsignmentID)
		}
	}
	return found, nil
}

// Price returns [plugin.ErrCourierUnsupported]: the courier's API has no prices.
func (*api) Price(context.Context, plugin.Access, plugin.ShipmentRequest, plugin.CourierPlace) (plugin.CourierPrice, error) {
	return plugin.CourierPrice{}, fmt.Errorf("price shipment: %w", plugin.ErrCourierUnsupported)
}

// Check verifies the credentials by requesting the merchant's balance.
func (a *api) Check(ctx context.Context, access plugin.Access) error {
	if _, err := a.call(ctx, access, http.MethodGet, "/get_balance", nil); err != nil {
		return fmt.Errorf("request balance: %w", err)
	}
	return nil
}

// call sends one request and decodes the response.
func (a *api) call(ctx context.Context, access plugin.Access, method, path string, in any) (reply, error) {
	resp, err := a.request(ctx, access, method, path, in)
	if err != nil {
		return reply{}, err
	}
	return decode(access.Settings, resp)
}

// send sends one request and returns the body of the response, which may be a list.
func (a *api) send(ctx context.Context, access plugin.Access, method, path string, in any) ([]byte, error) {
	resp, err := a.request(ctx, access, method, path, in)
	if err != nil {
		return nil, err
	}
	if body := bytes.TrimSpace(provider.TrimBOM(resp.Body)); resp.Status >= 300 || !bytes.HasPrefix(body, []byte("[")) {
		if _, err := decode(access.Settings, resp); err != nil {
			return nil, err
		}
	}
	return resp.Body, nil
}

func (a *api) request(ctx context.Context, access plugin.Access, method, path string, in any) (*provider.Response, error) {
	base := a.base[access.Mode]
	if base == "" {
		return nil, &plugin.Refusal{
			Kind: plugin.ErrCourierRefused, Words: "it has no sandbox; switch the shop to live mode or use the simulator",
		}
	}
	header := map[string]string{"Api-Key": access.Settings[keyAPI], "Secret-Key": access.Settings[keySecret], "Content-Type": "application/json"}
	resp, err := a.client.CallJSON(ctx, method, base+path, header, in)
	if failure, ok := errors.AsType[*provider.Error](err); ok && failure.Ambiguous {
		return nil, fmt.Errorf("%w: %w", plugin.ErrCourierUnknown, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", plugin.ErrCourierRefused, err)
	}
	return resp, nil
}

// decode decodes a response. Some refusals have the HTTP status 200 and their own status in the
// body.
func decode(settings plugin.Settings, resp *provider.Response) (reply, error) {
	var r reply
	decodeErr := json.Unmarshal(provider.TrimBOM(resp.Body), &r)
	status := resp.Status
	if code, err := strconv.Atoi(string(r.Status)); err == nil && status < 300 {
		status = code
	}
	switch {
	case status == http.StatusNotFound:
		return reply{}, provider.Refusal(plugin.ErrCourierNotFound, status, settings, resp.Body)
	case status >= 500, status < 300 && decodeErr != nil:
		return reply{}, fmt.Errorf("%w: status %d", plugin.ErrCourierUnknown, status)
	case status >= 300:
		return reply{}, provider.Refusal(plugin.ErrCourierRefused, status, settings, resp.Body)
	}
	return r, nil
}
