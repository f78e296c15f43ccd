package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// action is what happens to an order.
type action func(ctx context.Context, a *author, o *purchase) error

// done returns the error of a use case.
func done[T any](_ T, err error) error { return err }

// place places an order, after its goods have been received, unless they return to the stock.
func place(ctx context.Context, a *author, o *purchase) error {
	for _, item := range o.input.Items {
		if o.closed || !a.counted[*item.VariantID] {
			continue
		}
		units := []catalogue.StockItem{{VariantID: *item.VariantID, Adjust: new(int64(1))}}
		_, err := a.past.Catalogue.ChangeStocks(ctx, a.caller, units, "Goods received")
		if err != nil {
			return err
		}
	}
	a.gateway.next = o.payment
	placed, err := a.place(ctx, o)
	if err != nil {
		return err
	}
	o.id, o.number, o.total = placed.ID, placed.OrderNumber, placed.Total
	return nil
}

// place places an order for its buyer, or as staff.
func (a *author) place(ctx context.Context, o *purchase) (*order.Order, error) {
	in := o.input
	if o.source == "" {
		placed, err := a.orders.PlaceOrder(ctx, access.Caller{}, in, "")
		if err != nil {
			return nil, err
		}
		return &placed.Order, nil
	}
	byStaff := order.StaffInput{
		Customer: in.Customer, ShippingAddress: in.ShippingAddress, Note: in.Note,
		Source: o.source, Confirm: new(false),
	}
	for _, item := range in.Items {
		isSame := func(line order.StaffItemInput) bool { return line.VariantID == *item.VariantID }
		if at := slices.IndexFunc(byStaff.Items, isSame); at >= 0 {
			byStaff.Items[at].Quantity += item.Quantity
			continue
		}
		byStaff.Items = append(byStaff.Items, order.StaffItemInput{VariantID: *item.VariantID, Quantity: item.Quantity})
	}
	placed, err := a.orders.PlaceOrderAsStaff(ctx, a.caller, byStaff, false)
	if err != nil {
		return nil, err
	}
	return &placed.Order.Order, nil
}

// sweep does the shop's own work that is due: it queries gateways and expires unpaid orders.
func sweep(ctx context.Context, a *author, _ *purchase) error {
	if _, err := a.orders.SweepPayments(ctx); err != nil {
		return err
	}
	return done(a.orders.ExpireOrders(ctx))
}

// call records a call to the buyer. again is the time until the next call; 0 means none.
func call(outcome order.CallOutcome, text string, again time.Duration) action {
	return func(ctx context.Context, a *author, o *purchase) error {
		in := order.CallInput{Outcome: outcome, Text: text}
		if again > 0 {
			in.CallAt = new(a.now.Add(again))
		}
		return done(a.orders.RecordCall(ctx, a.caller, o.id, in))
	}
}

func note(text string) action {
	return func(ctx context.Context, a *author, o *purchase) error {
		return done(a.orders.AddNote(ctx, a.caller, o.id, text))
	}
}

func tag(tags ...string) action {
	return func(ctx context.Context, a *author, o *purchase) error {
		return done(a.orders.TagOrder(ctx, a.caller, o.id, order.TagChange{Add: tags}))
	}
}

func cancel(reason string) action {
	return func(ctx context.Context, a *author, o *purchase) error {
		return done(a.orders.CancelOrderAsStaff(ctx, a.caller, o.id, reason))
	}
}

func returned(ctx context.Context, a *author, o *purchase) error {
	return done(a.orders.MarkReturned(ctx, a.caller, o.id, nil))
}

func refunded(ctx context.Context, a *author, o *purchase) error {
	return done(a.orders.MarkCashRefunded(ctx, a.caller, o.id, order.RefundInput{}))
}

// refundPart records the refund of a tenth of the payment.
func refundPart(ctx context.Context, a *author, o *purchase) error {
	tenth := o.total.Amount / 10
	return done(a.orders.MarkRefunded(ctx, a.caller, a.gateway.refs[o.id], order.RefundInput{Amount: &tenth}))
}

func book(ctx context.Context, a *author, o *purchase) error {
	a.courier.consignment = o.consignment()
	return done(a.orders.BookShipment(ctx, a.caller, o.id, order.BookingInput{Provider: o.courier}))
}

func (o *purchase) consignment() string { return fmt.Sprintf("SEED-%d", o.number) }

// courierFee is the fee for a delivery, in minor units.
const courierFee int64 = 60_00

// reported is a courier's webhook about the order's shipment.
func reported(to status.Shipment) action {
	return func(ctx context.Context, a *author, o *purchase) error {
		r := report{Consignment: o.consignment(), Status: to}
		if to == status.ShipmentDelivered {
			r.Fee = new(courierFee)
			if o.method == status.PayCOD {
				r.Collected = &o.total.Amount
				a.unpaid[o.courier] = append(a.unpaid[o.courier], o)
			}
		}
		webhook := plugin.WebhookRequest{Body: []byte(encode(r))}
		return done(a.orders.HandleCourierWebhook(ctx, o.courier, "application/json", webhook))
	}
}

// reconcile records a courier's statement about what it has delivered since the last one. An
// amount is missing for the first shipment.
func reconcile(missing int64) action {
	return func(ctx context.Context, a *author, o *purchase) error {
		file := "Consignment,Collected,Fee,Paid\n"
		for _, of := range a.unpaid[o.courier] {
			currency, _ := money.ParseCurrency(of.total.Currency)
			due, paid := of.total.Amount, of.total.Amount-courierFee-missing
			file += strings.Join([]string{
				of.consignment(), currency.Decimal(due), currency.Decimal(courierFee), currency.Decimal(paid),
			}, ",") + "\n"
			missing = 0
		}
		a.unpaid[o.courier] = nil
		statement := strings.NewReader(file)
		return done(a.past.Cash.ReconcileStatement(ctx, a.caller, cash.StatementFile{Courier: o.courier, File: statement}))
	}
}
