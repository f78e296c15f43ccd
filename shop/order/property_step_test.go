package order_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// step runs one operation, half of the time on an existing order.
func (w *walk) step() {
	ctx := w.t.Context()
	if len(w.orders) == 0 || w.r.IntN(5) == 0 {
		w.place()
		return
	}
	uid := pick(w.r, w.orders[max(0, len(w.orders)-12):]) // recent orders have the most Transitions left
	before := w.last[uid]
	var bought *order.Order
	var err error
	name := pick(
		w.r,
		[]string{"cancel", "own cancel", "confirm", "ship", "shipment", "shipment", "shipment", "deliver", "return", "refund", "attempt",
			"gateway", "gateway", "cash", "token cancel", "time", "count", "edit", "edit", "contact", "advance", "advance", "remove advance",
			"report", "report", "report", "check", "check", "check", "waive",
			"damaged", "partial", "partial again",
			"remove credit", "refund part", "refund part", "payment part", "cost", "statement", "delivery", "delivery", "fee", "quantity prices"},
	)
	switch name {
	case "cancel":
		bought, err = w.Orders.CancelOrder(ctx, access.Caller{Operator: true}, uid, "")
	case "own cancel":
		bought, err = w.Orders.CancelOrder(ctx, w.owner, uid, "changed my mind")
	case "token cancel":
		bought, err = w.Orders.CancelOrder(ctx, w.tokens[uid], uid, "")
	case "cash":
		bought, err = w.Orders.SetPaymentMethod(
			ctx,
			pick(w.r, []access.Caller{w.owner, w.tokens[uid]}),
			uid,
			order.PaymentMethodInput{PaymentMethod: status.PayCOD},
		)
	case "confirm":
		bought, err = w.Orders.ConfirmOrder(ctx, access.Operator(), uid)
	case "ship":
		courier := pick(w.r, []plugin.Provider{plugin.CourierA, plugin.CourierB})
		bought, err = orderOf(
			w.Orders.RecordShipment(ctx, access.Operator(), uid, order.ShipmentInput{Provider: courier, ConsignmentID: fmt.Sprint(w.r.IntN(300))}),
		)
	case "shipment":
		if len(before.Shipments) > 0 {
			bought, err = w.Orders.SetShipmentStatus(ctx, uid, w.r.IntN(len(before.Shipments)), pick(w.r, shipmentStatuses))
		}
	case "deliver":
		bought, err = w.Orders.MarkDelivered(ctx, access.Operator(), uid, nil)
	case "return":
		bought, err = w.Orders.MarkReturned(ctx, access.Operator(), uid, nil)
	case "edit":
		bought, err = w.edit(uid)
	case "contact":
		bought, err = editedOrder(w.Orders.EditOrder(ctx, access.Operator(), uid, order.Edit{Name: new(pick(w.r, []string{"Rahima", "Karim"})),
			PhoneNumber: new(pick(w.r, []string{"01711223344", "01811000000", "01911555555"}))}))
	case "advance":
		amount := pick(w.r, []int64{1, 100_00, 450_00, before.Total.Amount})
		bought, err = orderOf(w.Orders.RecordAdvance(ctx, access.Operator(), uid, order.AdvanceInput{Amount: amount, Method: order.AdvanceBkash}))
	case "remove advance":
		bought, err = w.removeAdvance(uid)
	case "report":
		bought, err = w.report(before)
	case "check":
		err = w.checkWalletPayment(before)
	case "waive":
		bought, err = orderOf(w.Orders.WaiveAdvance(ctx, access.Operator(), uid))
	case "damaged":
		bought, err = w.Orders.MarkReturned(ctx, access.Operator(), uid, w.restock(*before))
	case "partial", "partial again":
		bought, err = w.Orders.MarkDelivered(ctx, access.Operator(), uid, w.restock(*before))
	case "remove credit":
		bought, err = w.removeCredit(before)
	case "refund":
		bought, err = w.Orders.MarkCashRefunded(ctx, access.Operator(), uid, order.RefundInput{})
	case "refund part":
		bought, err = w.Orders.MarkCashRefunded(ctx, access.Operator(), uid, w.refund(*before))
	case "payment part":
		if attempts := before.Payment.Attempts; len(attempts) > 0 {
			if _, err = w.Orders.MarkRefunded(ctx, access.Operator(), pick(w.r, attempts).ID, w.refund(*before)); err == nil {
				w.follow(uid)
			}
		}
	case "attempt":
		isPayable := before.Payment.Method != status.PayCOD || before.Advance != nil && before.Advance.Due.Amount > 0
		if isPayable && len(before.Payment.Attempts) < 4 {
			bought, err = w.Orders.BeginPayment(ctx, uid, pick(w.r, []status.PaymentMethod{status.PayGatewayA, status.PayGatewayB}))
		}
	case "gateway":
		if n := len(before.Payment.Attempts); n > 0 {
			bought, err = w.Orders.SetAttemptStatus(ctx, uid, w.r.IntN(n), pick(w.r, attemptStatuses))
		}
	case "time":
		w.clock.Advance(time.Duration(w.r.IntN(20)) * time.Minute)
		w.expire(w.t)
	case "cost":
		err = w.setCost(pick(w.r, []catalogue.Product{w.mug, w.shirt, w.lamp}), pick(w.r, []int64{0, 99, 100_00, 333_33}))
	case "quantity prices":
		err = w.setQuantityPrices(pick(w.r, []catalogue.Product{w.mug, w.shirt, w.lamp}))
	case "statement":
		if len(before.Shipments) > 0 {
			shipment := pick(w.r, before.Shipments)
			csv := fmt.Sprintf("consignment_id,collected,fee\n%s,%d,%d\n", db.TextOf(shipment.ConsignmentID), w.r.IntN(500), w.r.IntN(90))
			_, err = w.Cash.ReconcileStatement(ctx, access.Operator(), cash.StatementFile{
				Courier: shipment.Provider, File: strings.NewReader(csv),
			})
		}
	case "delivery":
		if n := len(before.Shipments); n > 0 {
			bought, err = w.Orders.SetShipmentStatus(ctx, uid, n-1, status.ShipmentDelivered)
		}
	case "fee":
		err = w.reportFee()
	case "count":
		_, err = w.Catalogue.ChangeStock(ctx, access.Operator(), w.mug.Variants[0].ID, catalogue.StockChange{Adjust: new(int64(w.r.IntN(9) - 3))})
	}
	w.outcome(name, err)
	if err == nil && bought != nil {
		w.follow(bought.ID)
	}
}

// reportFee enters a courier's statement that changes nothing but the fee of a shipment, just after
// the day of its order was counted, and compares the days before anything else happens to them.
func (w *walk) reportFee() error {
	held, err := w.Cash.ListLedger(w.t.Context(), access.Operator(), cash.LedgerFilter{Status: cash.Held, Request: page.Request{Limit: new(100)}})
	if err != nil || len(held.Nodes) == 0 {
		return err
	}
	line := held.Nodes[len(held.Nodes)-1] // the oldest
	if w.clock.Now().Sub(line.At) < 24*time.Hour {
		return nil
	}
	collected := line.Due.Amount
	if line.Collected != nil {
		collected = line.Collected.Amount
	}
	w.CountDays(w.t)
	csv := fmt.Sprintf("consignment_id,collected,fee\n%s,%d.%02d,%d\n", db.TextOf(line.ConsignmentID), collected/100, collected%100, w.r.IntN(90))
	_, err = w.Cash.ReconcileStatement(w.t.Context(), access.Operator(), cash.StatementFile{
		Courier: line.Provider, File: strings.NewReader(csv),
	})
	w.CheckDays(w.t)
	return err
}

// setCost changes what a unit of a product's first variant costs the shop; 0: unknown.
func (w *walk) setCost(product catalogue.Product, cost int64) error {
	change := catalogue.VariantChange{Variant: product.Variants[0].ID, Cost: &cost}
	if cost == 0 {
		change.Cost, change.NoCost = nil, true
	}
	_, err := w.Catalogue.UpdateProduct(w.t.Context(), access.Operator(), product.ID, catalogue.ProductChange{
		Variants: []catalogue.VariantChange{change},
	})
	return err
}

// setQuantityPrices changes the quantity prices of a product.
func (w *walk) setQuantityPrices(product catalogue.Product) error {
	prices := catalogue.QuantityPrices{}
	price := product.Price.Amount
	for quantity := 2 + w.r.IntN(2); quantity < 6 && w.r.IntN(4) > 0; quantity += 1 + w.r.IntN(2) {
		price = price*int64(quantity)*9/10/int64(quantity) - w.r.Int64N(100)
		prices = append(prices, catalogue.QuantityPriceInput{Quantity: quantity, Price: price*int64(quantity) - w.r.Int64N(100)})
	}
	_, err := w.Catalogue.UpdateProduct(w.t.Context(), access.Operator(), product.ID, catalogue.ProductChange{QuantityPrices: prices})
	return err
}

// edit changes what an order costs.
func (w *walk) edit(uid string) (*order.Order, error) {
	var edit order.Edit
	if w.r.IntN(3) > 0 {
		variants := []string{w.mug.Variants[0].ID, w.card.Variants[0].ID, w.lamp.Variants[0].ID, w.shirt.Variants[0].ID, w.shirt.Variants[1].ID}
		w.r.Shuffle(len(variants), func(i, j int) { variants[i], variants[j] = variants[j], variants[i] })
		items := []order.StaffItemInput{}
		for _, id := range variants[:1+w.r.IntN(3)] {
			item := order.StaffItemInput{VariantID: id, Quantity: 1 + w.r.IntN(3)}
			if w.r.IntN(4) == 0 {
				item.UnitPrice = new(pick(w.r, []int64{0, 1_00, 333_33}))
			}
			items = append(items, item)
		}
		edit.Items = &items
	}
	switch w.r.IntN(4) {
	case 0:
		edit.CouponCode = new(pick(w.r, []string{"", "FEW", "EACH", "NOPE"}))
	case 1:
		edit.StaffDiscount = &order.StaffDiscount{Amount: pick(w.r, []int64{0, 1, 99_99, 100_00}), Reason: "regular"}
	case 2:
		edit.DeliveryCharge = new(pick(w.r, []int64{0, 60_00, 1}))
	}
	edit.DryRun = w.r.IntN(5) == 0
	order, err := editedOrder(w.Orders.EditOrder(w.t.Context(), access.Operator(), uid, edit))
	if edit.DryRun { // nothing is saved
		return nil, err
	}
	return order, err
}

// editedOrder returns an edited order without what only staff see.
func editedOrder(edited *order.Edited, err error) (*order.Order, error) {
	if err != nil {
		return nil, err
	}
	return &edited.Order, nil
}

// refund returns a refund of an amount, of units, or of both.
func (w *walk) refund(bought order.Order) (in order.RefundInput) {
	if w.r.IntN(2) == 0 {
		in.Amount = new(pick(w.r, []int64{1, 100_00, 333_33, bought.Total.Amount, bought.Paid.Amount - bought.Refunded.Amount}))
	}
	if item := pick(w.r, bought.Items); in.Amount == nil || w.r.IntN(3) == 0 {
		units := 1 + w.r.IntN(item.Quantity)
		in.Items = []order.RefundItem{{VariantID: item.VariantID, Quantity: units, Restock: w.r.IntN(units + 1)}}
	}
	in.Reason, in.ConfirmDuplicate = pick(w.r, append(order.RefundReasons(), "")), w.r.IntN(2) == 0
	return in
}

// restock returns some of the units of an order.
func (w *walk) restock(bought order.Order) (units []order.RestockInput) {
	for _, item := range bought.Items {
		back := order.RestockInput{VariantID: item.VariantID, Quantity: w.r.IntN(item.Quantity + 1)}
		if rest := item.Quantity - back.Quantity; rest > 0 && w.r.IntN(3) == 0 {
			back.Damaged = w.r.IntN(rest + 1)
		}
		units = append(units, back)
	}
	return units
}

func (w *walk) removeAdvance(uid string) (*order.Order, error) {
	order, err := w.Orders.FindOrderAsStaff(w.t.Context(), access.Operator(), uid)
	if err != nil || len(order.Advances) == 0 {
		return nil, err
	}
	return orderOf(w.Orders.RemoveAdvance(w.t.Context(), access.Operator(), uid, pick(w.r, order.Advances).ID))
}

// removeCredit removes one of the credits of an order.
// report reports a payment of an order's advance. Some transaction IDs are used before.
func (w *walk) report(o *order.Order) (*order.Order, error) {
	in := order.WalletPaymentInput{WalletID: "bkash", Sender: "01711"}
	in.TransactionID = fmt.Sprintf("TX%04d", w.r.IntN(4*len(w.orders)))
	if w.r.IntN(3) == 0 {
		in.Amount = new(pick(w.r, []int64{1, 50_00, o.Total.Amount, 2*o.Total.Amount + 1}))
	}
	return w.Orders.ReportWalletPayment(w.t.Context(), w.tokens[o.ID], o.ID, in)
}

// checkWalletPayment confirms or refuses a reported payment of an order, in any status of both.
func (w *walk) checkWalletPayment(o *order.Order) error {
	if o.Advance == nil || len(o.Advance.Payments) == 0 {
		return nil
	}
	id := pick(w.r, o.Advance.Payments).ID
	var err error
	if w.r.IntN(3) == 0 {
		_, err = w.Orders.RefuseWalletPayment(w.t.Context(), access.Operator(), id, order.WalletRefusal{Reason: "not found"})
	} else {
		in := order.WalletConfirmation{}
		if w.r.IntN(3) == 0 {
			in.Amount = new(pick(w.r, []int64{1, 70_00, o.Total.Amount}) + 1)
		}
		_, err = w.Orders.ConfirmWalletPayment(w.t.Context(), access.Operator(), id, in)
	}
	if err == nil {
		w.follow(o.ID)
	}
	return err
}

func (w *walk) removeCredit(bought *order.Order) (*order.Order, error) {
	var ids []string
	for _, credit := range bought.Credits {
		if credit.ID != nil {
			ids = append(ids, *credit.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return orderOf(w.Orders.RemoveCredit(w.t.Context(), access.Operator(), bought.ID, pick(w.r, ids)))
}

// place places an order, sometimes with a used idempotency key.
func (w *walk) place() {
	in := guestOrder()
	for range 1 + w.r.IntN(3) {
		in.Items = append(in.Items, pick(w.r, []order.ItemInput{
			wants(w.mug, 1+w.r.IntN(3)), wants(w.card, 1), wants(w.lamp, 1+w.r.IntN(2)), wantsVariant(w.shirt, w.r.IntN(2), 1+w.r.IntN(2)),
		}))
	}
	if code := pick(w.r, []string{"", "FEW", "EACH", "NOPE"}); code != "" {
		in.CouponCode = &code
	}
	caller := pick(w.r, []access.Caller{{}, w.owner})
	key := fmt.Sprintf("key-%d", w.r.IntN(1+2*len(w.orders)))
	before := w.clock.Now() // another walk may move the clock meanwhile
	placed, err := w.Orders.PlaceOrder(w.t.Context(), caller, in, key)
	w.outcome("place", err)
	if err != nil {
		return
	}
	scoped := fmt.Sprint(caller.Bearer != "", key)
	first, ok := w.keys[scoped]
	isValid := ok && w.clock.Now().Sub(first.at) < 24*time.Hour
	hasExpired := !ok || before.Sub(first.at) >= 24*time.Hour
	if isValid && !placed.Replayed || hasExpired && placed.Replayed || placed.Replayed && first.uid != placed.ID {
		w.t.Errorf("key %s: first order %s, got %s", key, first.uid, placed.ID)
	}
	if placed.Replayed {
		return
	}
	w.keys[scoped] = keyed{placed.ID, placed.PlacedAt}
	if slices.Contains(w.orders, placed.ID) {
		w.t.Errorf("got invoice UID %s twice", placed.ID)
	}
	w.orders = append(w.orders, placed.ID)
	w.tokens[placed.ID] = access.Caller{OrderToken: placed.OrderToken}
	order := &placed.Order
	if w.r.IntN(2) == 0 && placed.Total.Amount > 0 {
		order = w.startOnlinePayment(w.t, placed.ID)
	}
	w.last[placed.ID] = order
}

// outcome counts a step's error code and fails the test for an undocumented one.
func (w *walk) outcome(name string, err error) {
	code := shoptest.ErrorCode(err)
	w.outcomes[string(code)]++
	switch code {
	case "", fault.CodeNotPayable,
		fault.CodeStateConflict, fault.CodeNotCancellable, fault.CodeNotFound, fault.CodeOutOfStock, fault.CodeValidationFailed,
		fault.CodeCouponNotFound, fault.CodeCouponUsageLimit, fault.CodeCouponCustomerLimit, fault.CodeIdempotencyKeyReused, fault.CodeTooManyOpenOrders:
	default:
		w.t.Errorf("%s: got %v", name, err)
	}
}
