package admin

import (
	"context"
	"errors"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
)

// ShipmentInput is a request to book a shipment, or to record one that the courier already has.
type ShipmentInput struct {
	Provider      plugin.Provider      `json:"provider" doc:"The courier"`
	Note          *string              `json:"note,omitempty" doc:"For the courier"`
	WeightGrams   int64                `json:"weightGrams,omitempty" doc:"Defaults to the sum of the variants' weights"`
	Place         *plugin.CourierPlace `json:"place,omitempty" doc:"Destination by the courier's own numbers. Defaults to the address"`
	Another       bool                 `json:"another,omitempty" doc:"Book even if the order has an open shipment"`
	Again         bool                 `json:"again,omitempty" doc:"Book again after a lost response, if the courier's panel does not list the shipment"`
	ConsignmentID *string              `json:"consignmentId,omitempty" doc:"Record this shipment instead of booking one"`
	TrackingCode  *string              `json:"trackingCode,omitempty" doc:"Tracking code of the recorded shipment"`
}

func shipmentOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "bookShipment", Method: http.MethodPost, Path: "orders/{orderId}/shipments",
			Tag: tagOrders, Use: access.ToBookShipment, Provider: true,
			Also: []access.UseCase{access.ToRecordShipment}, Idempotent: true, Resumes: true, Created: true,
			Summary: "Book a shipment with a courier, or record one",
			Description: "The booking is stored before the courier is called. If its response is lost, send the request again: it looks the shipment " +
				"up and books nothing twice. With consignmentId nothing is sent to the courier: the shipment that it already has is recorded.",
			Codes:   append([]fault.Code{fault.CodeUnavailable}, changeCodes...),
			Example: map[string]any{"provider": plugin.CourierA},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Body ShipmentInput
		}) (*order.StaffOrder, error) {
			if in.Body.ConsignmentID != nil {
				return in.shop().Orders.RecordShipment(ctx, in.caller(), in.OrderID, order.ShipmentInput{
					Provider: in.Body.Provider, ConsignmentID: *in.Body.ConsignmentID, TrackingCode: textOf(in.Body.TrackingCode),
				})
			}
			bought, err := in.shop().Orders.BookShipment(ctx, in.caller(), in.OrderID, order.BookingInput{
				Provider: in.Body.Provider, Note: textOf(in.Body.Note), WeightGrams: in.Body.WeightGrams,
				Another: in.Body.Another, Again: in.Body.Again, Place: placeOf(in.Body.Place),
			})
			if in.Body.Another && !errors.Is(err, order.ErrNothingDone) { // its webhook may arrive, and then one more could be booked
				in.exchange().UseUpKey()
			}
			return bought, err
		}),

		define(Operation{
			ID: "trackShipments", Method: http.MethodPost, Path: "orders/{orderId}/track",
			Tag: tagOrders, Use: access.ToTrackShipments, Provider: true, BodyOptional: true,
			Summary:     "Fetch the status of an order's shipments from the couriers",
			Description: "Use this if a courier's webhooks do not arrive.",
			Codes:       append([]fault.Code{fault.CodeUnavailable}, changeCodes...),
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			NoBody
		}) (*order.StaffOrder, error) {
			return in.shop().Orders.TrackShipments(ctx, in.caller(), in.OrderID)
		}),

		define(Operation{
			ID: "cancelShipment", Method: http.MethodPost, Path: "orders/{orderId}/cancel-shipment",
			Tag: tagOrders, Use: access.ToCancelShipment, Idempotent: true, BodyOptional: true,
			Summary: "Record that a shipment was deleted in the courier's panel",
			Description: "Nothing is sent to the courier: couriers offer no API for it. No cash is due with the shipment any more, and the order " +
				"stays open.",
			Codes:   changeCodes,
			Example: map[string]any{"consignmentId": "1424107"},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Body struct {
				Provider      *plugin.Provider `json:"provider,omitempty" doc:"Defaults to the courier of the only open shipment"`
				ConsignmentID *string          `json:"consignmentId,omitempty" doc:"Defaults to the only open shipment"`
			}
		}) (*order.StaffOrder, error) {
			selected := order.ShipmentSelection{ConsignmentID: textOf(in.Body.ConsignmentID)}
			if in.Body.Provider != nil {
				selected.Provider = *in.Body.Provider
			}
			return in.shop().Orders.CancelShipment(ctx, in.caller(), in.OrderID, selected)
		}),

		define(Operation{
			ID: "priceShipment", Method: http.MethodPost, Path: "orders/{orderId}/shipment-price",
			Tag: tagOrders, Use: access.ToPriceShipment, Provider: true,
			Summary: "Request a courier's price for carrying an order",
			Description: "Nothing is booked. City and zone are the courier's numbers, from " +
				"listCourierPlaces.",
			Codes:   append([]fault.Code{fault.CodeUnavailable}, changeCodes...),
			Example: map[string]any{"provider": plugin.CourierA, "city": 1, "zone": 298},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Body struct {
				Provider    plugin.Provider `json:"provider" doc:"The courier"`
				City        int64           `json:"city"`
				Zone        int64           `json:"zone"`
				WeightGrams int64           `json:"weightGrams,omitempty" doc:"Defaults to the sum of the variants' weights"`
			}
		}) (*order.ShipmentPrice, error) {
			return in.shop().Orders.PriceShipment(ctx, in.caller(), in.OrderID,
				order.BookingInput{Provider: in.Body.Provider, WeightGrams: in.Body.WeightGrams},
				plugin.CourierPlace{City: in.Body.City, Zone: in.Body.Zone})
		}),

		define(Operation{
			ID: "checkShipment", Path: "orders/{orderId}/shipment-check",
			Tag: tagOrders, Use: access.ToCheckShipment,
			Summary: "Check whether a courier would accept a shipment",
			Description: "Books nothing. problems is empty if the shipment can be booked; each " +
				"problem has the field to correct. With city and zone, as the courier's numbers, " +
				"price is the courier's quote.",
			Codes: []fault.Code{fault.CodeNotFound, fault.CodeValidationFailed, fault.CodeUnavailable},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Provider    plugin.Provider      `query:"provider" required:"true" doc:"The courier"`
			WeightGrams int64                `query:"weightGrams" doc:"Defaults to the sum of the variants' weights"`
			Another     bool                 `query:"another" doc:"Check even if the order has an open shipment"`
			City        page.Optional[int64] `query:"city" doc:"The courier's number"`
			Zone        page.Optional[int64] `query:"zone" doc:"The courier's number"`
		}) (*order.ShipmentCheck, error) {
			check := order.ShipmentCheckInput{
				BookingInput: order.BookingInput{Provider: in.Provider, WeightGrams: in.WeightGrams, Another: in.Another},
			}
			if city, zone := in.City.Pointer(), in.Zone.Pointer(); city != nil && zone != nil {
				check.To = &plugin.CourierPlace{City: *city, Zone: *zone}
			}
			return in.shop().Orders.CheckShipment(ctx, in.caller(), in.OrderID, check)
		}),

		define(Operation{
			ID: "suggestCourier", Path: "orders/{orderId}/courier-suggestion",
			Tag: tagOrders, Use: access.ToSuggestCourier,
			Summary: "The courier that delivers best where an order goes",
			Description: "Compares the deliveries and returns of the shop's couriers in the " +
				"order's area in the last 180 days, or in its city if there are too few in the " +
				"area. A courier counts from 20 shipments on, and is suggested if its delivery " +
				"rate is 5 % points above the next.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
		}) (*order.CourierSuggestion, error) {
			return in.shop().Orders.SuggestCourier(ctx, in.caller(), in.OrderID)
		}),

		define(Operation{
			ID: "suggestCourierPlace", Path: "orders/{orderId}/courier-place",
			Tag: tagOrders, Use: access.ToSuggestCourierPlace, Provider: true,
			Summary: "The destination of an order's shipment in a courier's own lists",
			Description: "The places are found in the address, and staff must confirm them; a " +
				"place that is not certain is null. The courier's lists are queried at most once " +
				"a day.",
			Codes: []fault.Code{fault.CodeNotFound, fault.CodeValidationFailed, fault.CodeStateConflict, fault.CodeUnavailable},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Provider plugin.Provider `query:"provider" required:"true" doc:"The courier"`
		}) (*order.PlaceSuggestion, error) {
			return in.shop().Orders.SuggestCourierPlace(ctx, in.caller(), in.OrderID, in.Provider)
		}),
	}
}

// placeOf returns an optional place, the zero value if none was sent.
func placeOf(place *plugin.CourierPlace) (p plugin.CourierPlace) {
	if place != nil {
		p = *place
	}
	return p
}
