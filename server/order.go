package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humahttprouter"

	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/status"
)

type placeOrderRequest struct {
	request
	LangQuery
	Body order.Input

	keys []string // every Idempotency-Key that was sent
}

// Resolve reads the keys itself, because huma does not distinguish none, an empty one and several.
func (in *placeOrderRequest) Resolve(ctx huma.Context) []error {
	r, _, _ := humahttprouter.Unwrap(ctx)
	in.keys = r.Header["Idempotency-Key"]
	return in.request.Resolve(ctx)
}

// idempotencyKeyOf returns the idempotency key that was sent, empty if none was. Codes:
// validation_failed.
func idempotencyKeyOf(keys []string) (string, error) {
	switch len(keys) {
	case 0:
		return "", nil
	case 1:
		return keys[0], order.CheckIdempotencyKey(keys[0])
	}
	return "", fault.InputError(fault.FieldError{
		Field: "idempotencyKey", Code: fault.CodeInvalidValue, Message: "Send the Idempotency-Key header once.",
	})
}

// idempotencyKeyHeader documents the header.
var idempotencyKeyHeader = &huma.Param{
	Name: "Idempotency-Key", In: "header",
	Schema:  &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(255), Pattern: "^[!-~]+$"},
	Example: "tab-1-order-1",
	Description: "A unique text of your own for this order, in visible ASCII. Sending it again within 24 hours returns the first success again " +
		"instead of placing a second order",
}

var couponCodes = []fault.Code{
	fault.CodeCouponNotFound, fault.CodeCouponInactive, fault.CodeCouponNotStarted, fault.CodeCouponExpired,
	fault.CodeCouponUsageLimit, fault.CodeCouponCustomerLimit, fault.CodeCouponMinSubtotal, fault.CodeCouponNotApplicable,
	fault.CodeCouponRequiresLogin,
}

var orderCodes = append([]fault.Code{
	fault.CodePhoneRequired, fault.CodeQuantityLimit, fault.CodeDeliveryRequired, fault.CodePaymentMethodUnavailable,
	fault.CodeOutOfStock, fault.CodePriceChanged,
}, slices.Concat(couponCodes, replaceCodes)...)

// replaceCodes are the codes concerning the order in replacesOrderId.
var replaceCodes = []fault.Code{fault.CodeNotFound, fault.CodeNotCancellable, fault.CodeStateConflict}

// OrderQuery are the query parameters that select orders of the caller. It is exported for the
// reason that [ListQuery] states.
type OrderQuery struct {
	Status            []status.Order          `query:"status[],explode" nullable:"false" doc:"Any of these; also status, or with commas"`
	PaymentStatus     []status.Payment        `query:"paymentStatus[],explode" nullable:"false" doc:"Any of these"`
	FulfillmentStatus []status.Fulfillment    `query:"fulfillmentStatus[],explode" nullable:"false" doc:"Any of these"`
	PlacedFrom        time.Time               `query:"placedFrom" doc:"Placed at this time or later"`
	PlacedBefore      time.Time               `query:"placedBefore" doc:"Placed before this time"`
	Search            string                  `query:"search" doc:"Words of the items, all of them, as ordered; an order number or an invoice UID"`
	SortBy            order.CustomerOrderSort `query:"sortBy" doc:"Defaults to placedAt"`
	Sort              sortDirection           `query:"sort" doc:"Defaults to desc"`
}

func (q *OrderQuery) filter(list page.Request) order.Filter {
	return order.Filter{
		Request: list, Status: q.Status, PaymentStatus: q.PaymentStatus, FulfillmentStatus: q.FulfillmentStatus,
		PlacedFrom: q.PlacedFrom, PlacedBefore: q.PlacedBefore, Search: q.Search, SortBy: q.SortBy, Sort: string(q.Sort),
	}
}

func (s *Server) registerOrders() {
	register(s, operation{
		id: "verifyCoupon", method: http.MethodPost, path: "/api/v1/orders/coupons/verify", tag: tagOrders, token: optionalToken, orderToken: true,
		readOnly:    true,
		summary:     "Check whether a discount code applies to a cart",
		description: "If the code does not apply, the response is a 200 with valid false and the reason.",
		codes:       replaceCodes,
		example:     map[string]any{"code": "SAVE150", "items": []any{map[string]any{"productId": exampleProductID, "quantity": 7}}},
	}, readRecord(func(ctx context.Context, in *struct {
		request
		Body order.CouponInput
	}) (*order.CouponResult, error) {
		return in.x.shop.Orders.VerifyCoupon(ctx, in.x.caller, in.Body)
	}))

	register(s, operation{
		id: "quoteOrder", method: http.MethodPost, path: "/api/v1/orders/quote", tag: tagOrders, token: optionalToken, orderToken: true,
		readOnly:    true,
		summary:     "Price an order without placing it",
		description: "Accepts the body of placeOrder and stores nothing.",
		example:     exampleOrder(status.PayCOD),
		codes:       orderCodes,
	}, readRecord(func(ctx context.Context, in *struct {
		request
		LangQuery
		Body order.Input
	}) (*order.Quote, error) {
		caller, err := in.caller(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return in.x.shop.Orders.QuoteOrder(ctx, caller, in.Body)
	}))

	s.registerPlaceOrder()
	s.registerIncompleteOrders()

	register(s, operation{
		id: "listOrders", path: "/api/v1/orders", tag: tagOrders, token: requiredToken,
		summary: "The caller's orders",
		description: "Includes guest orders with the account's phone once the phone has been " +
			"verified by a code.",
		codes: []fault.Code{fault.CodeValidationFailed},
	}, func(ctx context.Context, in *struct {
		request
		ListQuery
		LangQuery
		OrderQuery
	}) (*page.Page[order.Order], error) {
		caller, err := in.caller(ctx, in.x)
		if err != nil {
			return nil, err
		}
		done, err := in.beginList(ctx, in.input().Work())
		if err != nil {
			return nil, err
		}
		defer done()
		return in.x.shop.Orders.ListMyOrders(ctx, caller, in.filter(in.input()))
	})

	register(s, operation{
		id: "getOrder", path: "/api/v1/orders/{orderId}", tag: tagOrders, token: lenientToken, orderToken: true,
		summary: "One order by its invoice UID",
		description: "The order is returned in full to its owner and with the order token from " +
			"placeOrder. For anyone else personal data is masked: this is public tracking. An " +
			"invalid token is ignored.",
		codes: []fault.Code{fault.CodeNotFound},
	}, readRecord(func(ctx context.Context, in *struct {
		request
		LangQuery
		OrderID string `path:"orderId" doc:"The invoice UID, 16 characters" example:"7ZK3QW8N5T2M4R6V"`
	}) (*order.Order, error) {
		caller, err := in.caller(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return in.x.shop.Orders.FindOrder(ctx, caller, in.OrderID)
	}))

	register(s, operation{
		id: "getReorder", path: "/api/v1/orders/{orderId}/reorder", tag: tagOrders, token: lenientToken, orderToken: true,
		summary: "What of an order can be ordered again, and its price now",
		description: "Requires the order's owner or its order token; for anyone else the order does not exist. Send items to placeOrder. " +
			"Nothing is written.",
		codes: []fault.Code{fault.CodeNotFound},
	}, readRecord(func(ctx context.Context, in *struct {
		request
		LangQuery
		OrderID string `path:"orderId" doc:"The invoice UID, 16 characters" example:"7ZK3QW8N5T2M4R6V"`
	}) (*order.Reorder, error) {
		caller, err := in.caller(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return in.x.shop.Orders.FindReorder(ctx, caller, in.OrderID)
	}))

	register(s, operation{
		id: "cancelOrder", method: http.MethodPost, path: "/api/v1/orders/{orderId}/cancel", tag: tagOrders,
		token: requiredToken, orderToken: true, bodyOptional: true,
		summary: "Cancel an order of the caller",
		description: "The order's owner can cancel until the courier picks the shipment up. The " +
			"order token suffices while nothing is paid and no courier has the shipment: see " +
			"cancellable and cancelBlockedReason. Stock and the coupon use are released, and a " +
			"payment becomes refund_due. Cancelling again changes nothing. The body may be " +
			"omitted.",
		codes:   []fault.Code{fault.CodeNotFound, fault.CodeNotCancellable},
		example: map[string]any{"reason": "Ordered the wrong size"},
	}, func(ctx context.Context, in *struct {
		request
		LangQuery
		OrderID string `path:"orderId" doc:"The invoice UID, 16 characters" example:"7ZK3QW8N5T2M4R6V"`
		Body    struct {
			Reason *string `json:"reason,omitempty" doc:"For the shop, at most 500 characters"`
		}
	}) (*order.Order, error) {
		caller, err := in.caller(ctx, in.x)
		if err != nil {
			return nil, err
		}
		reason := ""
		if in.Body.Reason != nil {
			reason = *in.Body.Reason
		}
		return in.x.shop.Orders.CancelOrder(ctx, caller, in.OrderID, reason)
	})

	register(s, operation{
		id: "startPayment", method: http.MethodPost, path: "/api/v1/orders/{orderId}/payments", tag: tagOrders,
		token: lenientToken, orderToken: true, created: true,
		summary: "Pay an order online",
		description: "Requires the order's owner or its order token; for anyone else the order " +
			"does not exist. An open attempt with the same method that is less than 15 minutes " +
			"old is returned again. An order has at most 10 attempts. For a cash order the " +
			"attempt is for the advance that is due.",
		codes:   []fault.Code{fault.CodeNotFound, fault.CodeNotPayable, fault.CodePaymentMethodUnavailable},
		example: map[string]any{"paymentMethod": status.PayGatewayA},
	}, func(ctx context.Context, in *struct {
		request
		OrderID string `path:"orderId" doc:"The invoice UID, 16 characters" example:"7ZK3QW8N5T2M4R6V"`
		Body    order.PaymentInput
	}) (*order.PaymentAttempt, error) {
		return in.x.shop.Orders.StartPayment(ctx, in.x.caller, in.OrderID, in.Body)
	})

	register(s, operation{
		id: "reportWalletPayment", method: http.MethodPost, path: "/api/v1/orders/{orderId}/wallet-payments", tag: tagOrders,
		token: lenientToken, orderToken: true, created: true,
		summary: "Report a payment of an order's advance to a wallet",
		description: "For a cash order with an advance that the buyer has sent by hand to one of " +
			"advance.wallets. Requires the order's owner or its order token; for anyone else the " +
			"order does not exist. Staff check the payment and confirm or refuse it. A transaction " +
			"ID counts once; reporting it again for the same order changes nothing.",
		codes:   []fault.Code{fault.CodeNotFound, fault.CodeNotPayable, fault.CodeStateConflict},
		example: map[string]any{"walletId": "bkash-01711000000", "sender": "01711223344", "transactionId": "8N7A6D5E4F"},
	}, func(ctx context.Context, in *struct {
		request
		LangQuery
		OrderID string `path:"orderId" doc:"The invoice UID, 16 characters" example:"7ZK3QW8N5T2M4R6V"`
		Body    order.WalletPaymentInput
	}) (*order.Order, error) {
		caller, err := in.caller(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return in.x.shop.Orders.ReportWalletPayment(ctx, caller, in.OrderID, in.Body)
	})

	register(s, operation{
		id: "setPaymentMethod", method: http.MethodPost, path: "/api/v1/orders/{orderId}/payment-method", tag: tagOrders,
		token: lenientToken, orderToken: true,
		summary: "Change an unpaid online order to cash on delivery",
		description: "Requires the order's owner or its order token; for anyone else the order " +
			"does not exist. Stock and the coupon use stay with the order, its total is rounded " +
			"as for cash, and its open payment attempts are cancelled. Money that still arrives " +
			"for an attempt pays the order, or is refunded once a courier collects the cash. An " +
			"order paid in cash already does not change.",
		codes: []fault.Code{fault.CodeNotFound, fault.CodeStateConflict, fault.CodePaymentMethodUnavailable,
			fault.CodePhoneProofRequired, fault.CodeTooManyOpenOrders, fault.CodeForbidden},
		example: map[string]any{"paymentMethod": status.PayCOD},
	}, func(ctx context.Context, in *struct {
		request
		LangQuery
		OrderID string `path:"orderId" doc:"The invoice UID, 16 characters" example:"7ZK3QW8N5T2M4R6V"`
		Body    order.PaymentMethodInput
	}) (*order.Order, error) {
		caller, err := in.caller(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return in.x.shop.Orders.SetPaymentMethod(ctx, caller, in.OrderID, in.Body)
	})
}

// linksOfOrder returns links to the operations on a placed order.
func linksOfOrder() map[string]*huma.Link {
	links := map[string]*huma.Link{}
	for operation, description := range map[string]string{
		"getOrder": "Track the order", "getReorder": "Order the same again", "cancelOrder": "Cancel the order", "startPayment": "Pay the order online",
		"reportWalletPayment": "Report a payment of its advance",
		"setPaymentMethod":    "Change the order to cash on delivery",
	} {
		links[operation] = &huma.Link{
			OperationID: operation, Description: description, Parameters: map[string]any{"orderId": "$response.body#/invoiceUid"},
		}
	}
	return links
}

func (s *Server) registerPlaceOrder() {
	register(s, operation{
		id: "placeOrder", method: http.MethodPost, path: "/api/v1/orders", tag: tagOrders, token: optionalToken, orderToken: true, created: true,
		summary: "Place an order, as a guest or signed in",
		description: "Prices, discount and delivery charge are computed by the shop. Send " +
			"expectedTotal to have the order refused if they differ from what the buyer saw. " +
			"Stock is reserved in the same transaction and never goes below zero. A buyer who " +
			"abandoned the payment of an order can replace it: replacesOrderId identifies it, and " +
			"its owner's access token or its order token proves it. The old order is cancelled in " +
			"the same transaction, and its stock and coupon use go to the new one. An order that " +
			"is paid, being paid or with a courier is refused. Without replacesOrderId, an order of the caller that " +
			"awaits payment is replaced only if the new one lacks its stock or coupon use; " +
			"an empty replacesOrderId replaces no order.",
		codes: append([]fault.Code{
			fault.CodeIdempotencyKeyReused, fault.CodeWorkRequired, fault.CodePhoneProofRequired, fault.CodeTooManyOpenOrders, fault.CodeForbidden,
		}, orderCodes...),
		parameters: []*huma.Param{idempotencyKeyHeader, workProofHeader},
		examples: map[string]*huma.Example{
			"cashOnDelivery": {Summary: "As a guest, cash on delivery", Value: exampleOrder(status.PayCOD)},
			"online":         {Summary: "As a guest, paid online", Value: exampleOrder(status.PayGatewayA)},
		},
		links:   linksOfOrder(),
		headers: map[string]*huma.Param{"Idempotent-Replayed": stringHeader("true: this is the first response to this idempotency key again")},
	}, func(ctx context.Context, in *placeOrderRequest) (*order.Placed, error) {
		key, err := idempotencyKeyOf(in.keys)
		if err != nil {
			return nil, err
		}
		caller, err := in.caller(ctx, in.x)
		if err != nil {
			return nil, err
		}
		placed, err := in.x.shop.Orders.PlaceOrder(ctx, caller, in.Body, key)
		if err != nil {
			return nil, err
		}
		if placed.Replayed {
			in.x.Header().Set("Idempotent-Replayed", "true")
		}
		return placed, nil
	})
}
