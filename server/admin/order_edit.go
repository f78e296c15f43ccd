package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/status"
)

// OrderChange is a change of some fields of an order.
type OrderChange struct {
	Customer *struct {
		Name        *string          `json:"name,omitempty"`
		PhoneNumber *string          `json:"phoneNumber,omitempty"`
		Email       Nullable[string] `json:"email,omitempty" doc:"null removes it"`
	} `json:"customer,omitempty"`
	ShippingAddress  *account.Address       `json:"shippingAddress,omitempty" doc:"Replaces the whole address"`
	Note             Nullable[string]       `json:"note,omitempty" doc:"null removes it"`
	Items            []order.StaffItemInput `json:"items,omitempty" nullable:"false" maxItems:"100" doc:"Replaces all lines"`
	DeliveryChargeID *string                `json:"deliveryChargeId,omitempty" doc:"One of the shop's delivery charges, at today's price"`
	DeliveryCharge   *int64                 `json:"deliveryCharge,omitempty" doc:"Minor units, instead of deliveryChargeId. Needs orders.discount"`
	CouponCode       Nullable[string]       `json:"couponCode,omitempty" doc:"null removes the coupon"`

	StaffDiscount Nullable[order.StaffDiscount] `json:"staffDiscount,omitempty" doc:"Added to the coupon; null or 0 removes it. Needs orders.discount"`
}

func (in *OrderChange) edit() order.Edit {
	edit := order.Edit{
		Address: in.ShippingAddress, Note: in.Note.edit(), DeliveryChargeID: in.DeliveryChargeID, DeliveryCharge: in.DeliveryCharge,
		CouponCode: in.CouponCode.edit(), StaffDiscount: in.StaffDiscount.edit(),
	}
	if c := in.Customer; c != nil {
		edit.Name, edit.PhoneNumber, edit.Email = c.Name, c.PhoneNumber, c.Email.edit()
	}
	if in.Items != nil {
		edit.Items = &in.Items
	}
	return edit
}

// The parts of an order's version.
const (
	versionContents = iota
	versionTags
)

// orderVersion is the version of an order: its editable fields and its tags.
func orderVersion(o order.StaffOrder) string { return contentsVersion(o) + "-" + tagsVersion(o) }

func tagsVersion(o order.StaffOrder) string { return versionOf(o.Tags) }

// contentsVersion is the version of the editable fields without the tags.
func contentsVersion(o order.StaffOrder) string {
	var items []any
	for _, item := range o.Items {
		items = append(items, item.VariantID, item.Quantity, item.UnitPrice.Amount)
	}
	return versionOf([]any{
		o.Customer, o.ShippingAddress, o.Note, items, o.Delivery, o.DeliveryCharge.Amount, o.Coupon, o.StaffDiscount, o.Total.Amount,
	})
}

// OrderText is a message to parse.
type OrderText struct {
	Text string `json:"text" doc:"The buyer's message, at most 5000 characters"`
}

// DryRun is the query parameter for a preview of a change. It is exported because huma finds
// parameters only in exported embedded types.
type DryRun struct {
	DryRun bool `query:"dryRun" doc:"Return the result and change nothing"`
}

// AdvancePath has an advance in the path.
type AdvancePath struct {
	AdvanceID string `path:"advanceId" doc:"The advance's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

// CreditPath has a credit in the path.
type CreditPath struct {
	CreditID string `path:"creditId" doc:"The credit's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

// pricingCodes are the codes of pricing an order. repricingCodes are the codes of pricing placed
// orders again: their delivery charges and coupons exist, and they use the coupons already.
var (
	pricingCodes = append([]fault.Code{
		fault.CodeDeliveryRequired, fault.CodeCouponNotFound, fault.CodeCouponUsageLimit,
	}, repricingCodes...)
	repricingCodes = []fault.Code{
		fault.CodeValidationFailed, fault.CodeOutOfStock, fault.CodeCouponInactive, fault.CodeCouponNotStarted, fault.CodeCouponExpired,
		fault.CodeCouponRequiresLogin, fault.CodeCouponCustomerLimit, fault.CodeCouponNotApplicable, fault.CodeCouponMinSubtotal,
	}
)

func orderEditOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "placeOrder", Method: http.MethodPost, Path: "orders",
			Tag: tagOrders, Use: access.ToPlaceOrderAsStaff, Idempotent: true, Created: true,
			Summary: "Place an order for a buyer",
			Description: "For buyers who order by phone or chat. Prices, stock and rounding are " +
				"as in the storefront; limits of quantities do not apply. A cash order is " +
				"confirmed immediately unless confirm is false. With dryRun=true the response has " +
				"the quote for the data so far, and nothing is placed. Prices, discounts and " +
				"delivery charges need the permission orders.discount. A blocked contact does not " +
				"prevent the order: warnings has contact_blocked.",
			Codes: append([]fault.Code{fault.CodePhoneRequired, fault.CodePaymentMethodUnavailable, fault.CodeForbidden}, pricingCodes...),
			Example: map[string]any{
				"items": []any{map[string]any{"variantId": "01KAJ3V5W7X9Y1Z3A5B7C9D1E3", "quantity": 1}}, "source": status.SourcePhone,
				"customer":        map[string]any{"name": "Rahima Khatun", "phoneNumber": "01711-223344"},
				"shippingAddress": map[string]any{"line1": "House 12, Road 5", "area": "Mirpur", "city": "Dhaka"},
			},
		}, func(ctx context.Context, in *struct {
			request
			DryRun
			Body order.StaffInput
		}) (*order.StaffPlacement, error) {
			return in.shop().Orders.PlaceOrderAsStaff(ctx, in.caller(), in.Body, in.DryRun.DryRun)
		}),

		define(Operation{
			ID: "updateOrder", Method: http.MethodPatch, Path: "orders/{orderId}",
			Tag: tagOrders, Use: access.ToEditOrder, Versioned: true,
			Summary: "Change an order",
			Description: "Fields that are left out are unchanged. Buyer, address and note can be " +
				"changed until the courier picks the shipment up; if one is booked, warnings has " +
				"shipment_has_old_address. All else can be changed while a cash order is pending " +
				"or confirmed, has no open shipment and has received only advances. Lines retain " +
				"their prices, new ones get today's; the stock changes by the difference and the " +
				"coupon is checked again. Prices, discounts and delivery charges need the " +
				"permission orders.discount. With dryRun=true the response is the resulting " +
				"order, and nothing is changed.",
			Codes:   append([]fault.Code{fault.CodeNotFound, fault.CodeStateConflict, fault.CodeForbidden}, pricingCodes...),
			Example: map[string]any{"note": "Ring twice"},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Precondition
			DryRun
			Body OrderChange
		}) (*order.Edited, error) {
			edit := in.Body.edit()
			edit.Check, edit.DryRun = check(in.part(versionContents), contentsVersion), in.DryRun.DryRun
			edited, err := in.shop().Orders.EditOrder(ctx, in.caller(), in.OrderID, edit)
			if err == nil && !edit.DryRun {
				in.setVersion(orderVersion(edited.StaffOrder))
			}
			return edited, err
		}),

		define(Operation{
			ID: "mergeOrders", Method: http.MethodPost, Path: "orders/{orderId}/merge",
			Tag: tagOrders, Use: access.ToMergeOrders, Idempotent: true,
			Summary: "Add the items of a duplicate to an order",
			Description: "Both must be unpaid cash orders of one phone number that are not " +
				"confirmed. The other order is cancelled without a message to the buyer, and its " +
				"stock is reserved for this one. Lines retain their prices: of two prices of a " +
				"variant, the lower one applies. There is one delivery charge, by the rules of " +
				"this order's. A coupon and discounts of the other order are retained. With " +
				"dryRun=true the response is the resulting order, and nothing is changed.",
			Codes:   append([]fault.Code{fault.CodeNotFound, fault.CodeStateConflict}, repricingCodes...),
			Example: order.MergeInput{OrderID: "0A1B2C3D4E5F6G7H"},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			DryRun
			Body order.MergeInput
		}) (*order.StaffOrder, error) {
			in.Body.DryRun = in.DryRun.DryRun
			return in.shop().Orders.MergeOrders(ctx, in.caller(), in.OrderID, in.Body)
		}),

		define(Operation{
			ID: "parseOrder", Method: http.MethodPost, Path: "parse/order",
			Tag: tagOrders, Use: access.ToParseOrder,
			Summary: "Parse a buyer's order message",
			Description: "Finds the buyer's name, phone number and address, and products of the shop with " +
				"their quantities, in Bangla, English and Bangla in Latin letters. A field that is not certain " +
				"stays empty, except quantities, which state whether they are sure. Nothing is stored.",
			Codes:   []fault.Code{fault.CodeValidationFailed},
			Example: OrderText{"Rahima Khatun\n01711-223344\nHouse 12, Road 5, Mirpur, Dhaka\n2 pcs Mug"},
		}, func(ctx context.Context, in *struct {
			request
			Body OrderText
		}) (*order.Parsed, error) {
			return in.shop().Orders.ParseOrder(ctx, in.caller(), in.Body.Text)
		}),

		define(Operation{
			ID: "recordAdvance", Method: http.MethodPost, Path: "orders/{orderId}/advances",
			Tag: tagOrders, Use: access.ToRecordAdvance, Idempotent: true, Created: true,
			Summary: "Record a buyer's advance",
			Description: "For a cash order without an open shipment. The courier collects the " +
				"rest, cashToCollect. An order is paid once its advances reach the total; if it " +
				"is closed, they become refund_due.",
			Codes:   append([]fault.Code{fault.CodeValidationFailed}, changeCodes...),
			Example: map[string]any{"amount": 10000, "method": order.AdvanceBkash, "reference": "8N7A6D5E4F"},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			Body order.AdvanceInput
		}) (*order.StaffOrder, error) {
			return in.shop().Orders.RecordAdvance(ctx, in.caller(), in.OrderID, in.Body)
		}),

		define(Operation{
			ID: "waiveAdvance", Method: http.MethodPost, Path: "orders/{orderId}/advance/waive",
			Tag: tagOrders, Use: access.ToWaiveAdvance, Idempotent: true,
			Summary: "Ship an order without the rest of its advance",
			Description: "Until then an order whose advance is not paid cannot be confirmed or " +
				"booked. An order that awaits none is returned unchanged.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
		}) (*order.StaffOrder, error) {
			return in.shop().Orders.WaiveAdvance(ctx, in.caller(), in.OrderID)
		}),

		define(Operation{
			ID: "lookUpBuyer", Method: http.MethodPost, Path: "orders/{orderId}/courier-record",
			Tag: tagOrders, Use: access.ToLookUpBuyer, Idempotent: true,
			Summary: "Look an order's phone number up at the courier",
			Description: "The answer of the last 24 hours is returned without another request. " +
				"The setting courierRecords must be on. Unknown shares are null: they say nothing " +
				"about the buyer.",
			Codes: []fault.Code{fault.CodeNotFound, fault.CodeStateConflict, fault.CodeUnavailable},
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
		}) (*order.CourierRecord, error) {
			return in.shop().Orders.LookUpBuyer(ctx, in.caller(), in.OrderID)
		}),

		define(Operation{
			ID: "removeAdvance", Method: http.MethodDelete, Path: "orders/{orderId}/advances/{advanceId}",
			Tag: tagOrders, Use: access.ToRemoveAdvance,
			Summary: "Remove an advance that was recorded by mistake",
			Description: "Possible as long as an advance can be recorded. An order that it had " +
				"paid becomes unpaid again.",
			Codes: changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			AdvancePath
		}) (*order.StaffOrder, error) {
			return in.shop().Orders.RemoveAdvance(ctx, in.caller(), in.OrderID, in.AdvanceID)
		}),

		define(Operation{
			ID: "removeCredit", Method: http.MethodDelete, Path: "orders/{orderId}/credits/{creditId}",
			Tag: tagOrders, Use: access.ToRemoveCredit,
			Summary: "Remove a credit that was recorded by mistake",
			Description: "Its units leave the stock again, and the buyer is to pay its amount. A " +
				"credit of a refund also requires payments.write. A conflict names refundedAmount in " +
				"its details if money was refunded for the credit.",
			Codes: changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			OrderPath
			CreditPath
		}) (*order.StaffOrder, error) {
			return in.shop().Orders.RemoveCredit(ctx, in.caller(), in.OrderID, in.CreditID)
		}),
	}
}
