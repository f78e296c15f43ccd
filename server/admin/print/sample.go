package print

import (
	"time"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// Sample returns a document of an example order, so that the settings of printing can be judged
// before the shop has orders. Codes: validation_failed.
func Sample(kind order.PrintKind, head *shop.Letterhead) (*Sheet, error) {
	if _, ok := sizes[kind]; !ok {
		var bad fault.Invalid
		bad.Add("kind", fault.CodeInvalidValue, "Must be one of %s.", joinNames(order.PrintKinds()))
		return nil, bad.Err()
	}
	orders := []order.StaffOrder{sampleOrder(head.Currency, head.At)}
	return &Sheet{Kind: kind, Orders: orders, Letterhead: head}, nil
}

// sampleOrder returns an order in the currency of a shop, carried by a courier.
func sampleOrder(currency money.Currency, now time.Time) order.StaffOrder {
	scale := int64(currency.Scale())
	amount := func(major int64) money.Money { return currency.Money(major * scale) }
	item := func(title string, quantity int, price int64) order.Item {
		return order.Item{
			VariantID: title, Title: title, Quantity: quantity,
			UnitPrice: amount(price), Discount: amount(0), Total: amount(price * int64(quantity)),
		}
	}
	var o order.StaffOrder
	o.InvoiceUID, o.OrderNumber, o.Status = "0123456789ABCDEF", 1024, status.OrderProcessing
	o.PaymentStatus, o.FulfillmentStatus = status.PaymentUnpaid, status.InProgress
	o.Items = []order.Item{
		item("Terracotta earrings — টেরাকোটার দুল", 2, 450),
		item("Jute basket — পাটের ঝুড়ি", 1, 850),
	}
	o.Subtotal, o.Discount, o.DeliveryCharge = amount(1750), amount(100), amount(70)
	o.Rounding, o.Total = amount(0), amount(1720)
	o.Coupon = &order.UsedCoupon{Code: "EID100", Discount: amount(100)}
	o.Delivery = &order.Delivery{Name: "Inside Dhaka — ঢাকার ভেতরে"}
	o.Customer = order.Customer{Name: "Rokeya Sultana", PhoneNumber: "+8801700000000"}
	o.ShippingAddress = order.Address{
		Line1: new("House 12, Road 5"), Area: new("Dhanmondi"), City: "Dhaka", Postcode: new("1205"),
	}
	o.Payment = order.Payment{Method: status.PayCOD, Status: status.PaymentUnpaid}
	o.CashToCollect, o.PlacedAt = o.Total, now
	o.Shipments = []order.StaffShipment{{
		Shipment: order.Shipment{
			Provider: plugin.CourierA, ConsignmentID: new("DT2611240001"), Status: status.ShipmentCreated,
		},
		AmountToCollect: o.Total,
	}}
	return o
}
