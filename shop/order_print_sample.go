package shop

import (
	"context"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// PrintSample returns what a document of an example order shows, so that the settings of printing
// can be judged before the shop has orders. Nothing is stored. Codes: validation_failed.
func (s *Shop) PrintSample(ctx context.Context, caller access.Caller, kind PrintKind) (*PrintSheet, error) {
	if _, err := s.requireStaff(ctx, caller, access.ToPrintOrders); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	if checkPrintKind(&bad, "kind", kind); bad.Err() != nil {
		return nil, bad.Err()
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	sheet := set.printSheet(kind, s.now())
	sheet.Orders = []PrintOrder{{sampleOrder(set, sheet.At), set.orderLink("0123456789ABCDEF")}}
	return sheet, nil
}

// sampleOrder returns an order in the currency of a shop, which a courier carries.
func sampleOrder(set *cachedSettings, now time.Time) StaffOrder {
	scale := int64(set.money.Scale())
	amount := func(major int64) money.Money { return set.money.Money(major * scale) }
	item := func(title string, quantity int, price int64) OrderItem {
		return OrderItem{
			VariantID: title, Title: title, Quantity: quantity, UnitPrice: amount(price), Discount: amount(0), Total: amount(price * int64(quantity)),
		}
	}
	var o StaffOrder
	o.OrderNumber, o.Status, o.PaymentStatus, o.FulfillmentStatus = 1024, status.OrderProcessing, status.PaymentUnpaid, status.InProgress
	o.Items = []OrderItem{
		item("Terracotta earrings — টেরাকোটার দুল", 2, 450), item("Jute basket — পাটের ঝুড়ি", 1, 850),
	}
	o.Subtotal, o.Discount, o.DeliveryCharge, o.Rounding, o.Total = amount(1750), amount(100), amount(70), amount(0), amount(1720)
	o.Coupon = &OrderCoupon{Code: "EID100", Discount: amount(100)}
	o.Delivery = &OrderDelivery{Name: "Inside Dhaka — ঢাকার ভেতরে"}
	o.Customer = OrderCustomer{Name: "Rokeya Sultana", PhoneNumber: "+8801700000000"}
	o.ShippingAddress = OrderAddress{Line1: new("House 12, Road 5"), Area: new("Dhanmondi"), City: "Dhaka", Postcode: new("1205")}
	o.Payment = OrderPayment{Method: status.PayCOD, Status: status.PaymentUnpaid}
	o.CashToCollect, o.PlacedAt = o.Total, now
	o.Shipments = []StaffShipment{{
		Shipment: Shipment{Provider: plugin.CourierA, ConsignmentID: new("DT2611240001"), Status: status.ShipmentCreated}, AmountToCollect: o.Total,
	}}
	return o
}
