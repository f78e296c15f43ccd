package order_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

var (
	propertySteps = flag.Int("order.steps", 600, "steps of each random walk of TestOrders_RandomWalk")
	propertySeeds = flag.Int("order.seeds", 4, "random walks of TestOrders_RandomWalk")
)

// TestOrders_RandomWalk runs random order operations on a shop, and checks
// its invariants after every few steps. For a long run:
// go test ./shop -run RandomWalk -order.seeds 50 -order.steps 5000
func TestOrders_RandomWalk(t *testing.T) {
	t.Parallel()
	for seed := range *propertySeeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			clock := shoptest.NewClock()
			newWalk(t, shoptest.NewStore(t, clock), clock, "", uint64(seed)).run(*propertySteps)
		})
	}
}

// TestOrders_RandomWalkOfTwoShops runs two random walks at once in the same tables, on two shops
// with the same buyers, coupons, SKUs and idempotency keys. Each has its own orders and no row of
// the other.
func TestOrders_RandomWalkOfTwoShops(t *testing.T) {
	t.Parallel()
	dbtest.NeedPostgres(t) // shops in files have no table in common
	clock := shoptest.NewClock()
	store := shoptest.NewStore(t, clock)
	walks := map[string]*walk{"first": nil, "second": nil}
	for uid := range walks {
		walks[uid] = newWalk(t, store, clock, uid, 7)
	}
	t.Run("walks", func(t *testing.T) {
		for uid, w := range walks {
			t.Run(uid, func(t *testing.T) {
				t.Parallel()
				w.t = t
				w.run(*propertySteps)
			})
		}
	})
	first, second := exported(t, store, "first"), exported(t, store, "second")
	if len(first.ids) < 100 || len(second.ids) < 100 {
		t.Fatalf("got %d and %d rows with an ID, want many", len(first.ids), len(second.ids))
	}
	for _, pair := range [][2]*exportedShop{{first, second}, {second, first}} {
		for id, table := range pair[0].ids {
			if other := pair[1].values[id]; other != "" {
				t.Errorf("%s of %s is in %s of the other shop", id, table, other)
			}
		}
	}
}

// exportedShop has the texts of a shop's rows.
type exportedShop struct {
	ids    map[string]string // the table of each identifier
	values map[string]string // the table of each text
}

// exported reads all tables of a shop.
func exported(t *testing.T, store *db.Store, uid db.ID) *exportedShop {
	t.Helper()
	var lines bytes.Buffer
	if err := store.Export(t.Context(), uid, &lines); err != nil {
		t.Fatal(err)
	}
	s := &exportedShop{ids: map[string]string{}, values: map[string]string{}}
	var table string
	var columns []string
	for line := range bytes.Lines(lines.Bytes()) {
		var head struct {
			Table   string
			Columns []string
		}
		if line[0] == '{' {
			if err := json.Unmarshal(line, &head); err != nil {
				t.Fatal(err)
			}
			table, columns = head.Table, head.Columns
			continue
		}
		var row []any
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		for i, v := range row {
			if text, ok := v.(string); ok {
				s.values[text] = table
				if columns[i] == "id" {
					s.ids[text] = table
				}
			}
		}
	}
	return s
}

// walk is a shop and the expected state of its orders in a random walk.
type walk struct {
	*orderShop
	t        *testing.T
	r        *rand.Rand
	owner    access.Caller
	orders   []string
	last     map[string]*order.Order
	tokens   map[string]access.Caller // by order
	keys     map[string]keyed         // by idempotency key
	outcomes map[string]int
}

// keyed is the order that was placed with an idempotency key.
type keyed struct {
	uid string
	at  time.Time
}

func newWalk(t *testing.T, store *db.Store, clock *shoptest.Clock, uid string, seed uint64) *walk {
	t.Helper()
	s := newOrderShopIn(t, store, clock, uid, map[string]any{"openOrdersPerPhone": 8, "codExpiryHours": 1})
	s.mustSaveCoupon(t, order.CouponSpec{Code: "FEW", Kind: order.CouponPercentage, BasisPoints: new(int64(3333)), UsageLimit: new(int64(7))})
	s.mustSaveCoupon(t, order.CouponSpec{Code: "EACH", Kind: order.CouponFixed, Amount: new(int64(33_33)), CustomerLimit: new(int64(3))})
	for _, p := range []catalogue.Product{s.mug, s.shirt, s.lamp} {
		for _, v := range p.Variants {
			if _, err := s.Catalogue.ChangeStock(t.Context(), access.Operator(), v.ID, catalogue.StockChange{Set: new(int64(40))}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.report(t) // from now on the cash of shipments is stored
	return &walk{
		orderShop: s, t: t, r: rand.New(rand.NewPCG(seed, 7)), last: map[string]*order.Order{}, tokens: map[string]access.Caller{},
		keys: map[string]keyed{}, outcomes: map[string]int{},
		owner: s.mustRegister(t, account.RegisterInput{Name: "Karim", PhoneNumber: new("01811000000")}),
	}
}

// run runs so many steps.
func (w *walk) run(steps int) {
	w.t.Helper()
	for step := range steps {
		w.step()
		if step%50 == 0 {
			w.check()
			w.clock.Advance(5 * time.Hour) // the orders are of several days
		}
		if step%500 == 499 { // before the token expires
			w.signIn()
		}
		if w.t.Failed() {
			w.t.Fatalf("failed at step %d", step)
		}
	}
	w.check()
	w.t.Logf("%d orders; results %v", len(w.orders), w.outcomes)
}

// signIn signs the owner in again.
func (w *walk) signIn() {
	w.t.Helper()
	auth, err := w.Accounts.Login(w.t.Context(), access.Caller{}, account.LoginInput{User: "01811000000", Password: "correct horse battery"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.owner = access.Caller{Bearer: auth.AccessToken}
}

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
			"damaged", "partial", "partial again", "cost", "statement", "delivery", "delivery", "fee"},
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
	case "damaged":
		bought, err = w.Orders.MarkReturned(ctx, access.Operator(), uid, w.restock(*before))
	case "partial", "partial again":
		bought, err = w.Orders.MarkDelivered(ctx, access.Operator(), uid, w.restock(*before))
	case "refund":
		bought, err = w.Orders.MarkCashRefunded(ctx, access.Operator(), uid)
	case "attempt":
		if before.Payment.Method != status.PayCOD && len(before.Payment.Attempts) < 4 {
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
	case "statement":
		if len(before.Shipments) > 0 {
			shipment := pick(w.r, before.Shipments)
			csv := fmt.Sprintf("consignment_id,collected,fee\n%s,%d,%d\n", db.TextOf(shipment.ConsignmentID), w.r.IntN(500), w.r.IntN(90))
			_, err = w.Cash.ReconcileStatement(ctx, access.Operator(), shipment.Provider, strings.NewReader(csv), false)
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
	_, err = w.Cash.ReconcileStatement(w.t.Context(), access.Operator(), line.Provider, strings.NewReader(csv), false)
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

// restock returns some of the units of an order.
func (w *walk) restock(bought order.Order) (units []order.RestockInput) {
	for _, item := range bought.Items {
		units = append(units, order.RestockInput{VariantID: item.VariantID, Quantity: w.r.IntN(item.Quantity + 1)})
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
	placed, err := w.Orders.PlaceOrder(w.t.Context(), caller, in, key)
	w.outcome("place", err)
	if err != nil {
		return
	}
	scoped := fmt.Sprint(caller.Bearer != "", key)
	first, ok := w.keys[scoped]
	ok = ok && w.clock.Now().Sub(first.at) < 24*time.Hour
	if ok != placed.Replayed || ok && first.uid != placed.ID {
		w.t.Errorf("key %s: first order %s, got %s", key, first.uid, placed.ID)
	}
	if placed.Replayed {
		return
	}
	w.keys[scoped] = keyed{placed.ID, w.clock.Now()}
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
	case "", fault.CodeStateConflict, fault.CodeNotCancellable, fault.CodeNotFound, fault.CodeOutOfStock, fault.CodeValidationFailed,
		fault.CodeCouponNotFound, fault.CodeCouponUsageLimit, fault.CodeCouponCustomerLimit, fault.CodeIdempotencyKeyReused, fault.CodeTooManyOpenOrders:
	default:
		w.t.Errorf("%s: got %v", name, err)
	}
}

// follow checks an order against its last state: final statuses stay, and no history is lost. It
// reads the order as staff, because buyers read equal entries of shipments in a row once.
func (w *walk) follow(uid string) {
	now, err := orderOf(w.Orders.FindOrderAsStaff(w.t.Context(), access.Operator(), uid))
	if err != nil {
		w.t.Fatal(err)
	}
	before := w.last[now.ID]
	w.last[now.ID] = now
	deliveredAllTheSame := before.Status == status.OrderCancelled && before.FulfillmentStatus != status.Delivered &&
		now.FulfillmentStatus == status.Delivered
	if ends := []status.Order{status.OrderCancelled, status.OrderExpired, status.OrderReturned}; slices.Contains(ends, before.Status) &&
		now.Status != before.Status && !deliveredAllTheSame {
		w.t.Errorf("order left its final status %s: got %s", before.Status, now.Status)
	}
	if before.FulfillmentStatus == status.Returned && now.FulfillmentStatus != status.Returned {
		w.t.Errorf("fulfilment left its final status: got %s", now.FulfillmentStatus)
	}
	for i, a := range before.Payment.Attempts {
		if a.Status == status.AttemptRefunded && now.Payment.Attempts[i].Status != a.Status {
			w.t.Errorf("payment attempt left its final status: got %s", now.Payment.Attempts[i].Status)
		}
	}
	for i, shipment := range before.Shipments {
		ends := []status.Shipment{status.ShipmentDelivered, status.ShipmentReturned, status.ShipmentCancelled, status.ShipmentExchanged}
		if slices.Contains(ends, shipment.Status) && now.Shipments[i].Status != shipment.Status {
			w.t.Errorf("shipment left its final status %s: got %s", shipment.Status, now.Shipments[i].Status)
		}
	}
	exact := func(o *order.Order) int64 { return o.Total.Amount + o.Rounding.Amount }
	sameMethod := now.Payment.Method == before.Payment.Method || now.Payment.Method != status.PayCOD && before.Payment.Method != status.PayCOD
	edited := entries(now, order.TimelineEdited) > entries(before, order.TimelineEdited)
	if len(now.Timeline) < len(before.Timeline) || !edited && (exact(now) != exact(before) || sameMethod && now.Total != before.Total) ||
		now.OrderNumber != before.OrderNumber {
		w.t.Errorf("order history changed: got %+v after %+v", now, before)
	}
	same := now.Status == before.Status && now.PaymentStatus == before.PaymentStatus && now.FulfillmentStatus == before.FulfillmentStatus
	if !same && len(now.Timeline) == len(before.Timeline) {
		w.t.Errorf("no timeline entry for the change from %s/%s/%s to %s/%s/%s", before.Status, before.PaymentStatus, before.FulfillmentStatus,
			now.Status, now.PaymentStatus, now.FulfillmentStatus)
	}
}

// entries counts the timeline entries of a type.
func entries(o *order.Order, of order.TimelineType) (n int) {
	for _, e := range o.Timeline {
		if e.Type == of {
			n++
		}
	}
	return n
}

// check checks the invariants of the whole file.
func (w *walk) check() {
	w.checkBooks(w.t)
	w.CheckDays(w.t)
	if _, err := w.Sales.CountDays(w.t.Context()); err != nil {
		w.t.Error(err)
	}
	w.CheckDays(w.t)
	w.CheckFigures(w.t)
	for what, query := range map[string]string{
		"orders that were never placed": fmt.Sprintf(`SELECT COUNT(*) - %d FROM orders`, len(w.orders)),
		"order numbers used twice":      `SELECT COUNT(*) - COUNT(DISTINCT number) FROM orders`,
		"orders with two payments kept": `
			SELECT COUNT(*)
			FROM orders o
			WHERE (SELECT COUNT(*) FROM payment_attempts a WHERE a.order_id = o.id AND a.status = 'succeeded') > 1`,
		"online orders paid without a payment, or the reverse": `
			SELECT COUNT(*)
			FROM orders o
			WHERE o.payment_method <> 'cod'
				AND (o.payment_status = 'paid') <> EXISTS (SELECT 1 FROM payment_attempts a WHERE a.order_id = o.id AND a.status = 'succeeded')`,
		"cash orders paid online": `
			SELECT COUNT(*)
			FROM orders o
			JOIN payment_attempts a ON a.order_id = o.id
			WHERE a.status = 'succeeded' AND o.payment_method = 'cod'`,
		"online orders that neither await payment nor are paid": `
			SELECT COUNT(*)
			FROM orders o
			WHERE o.status = 'pending' AND o.payment_method <> 'cod'`,
		"processed orders that count as unconfirmed": `
			SELECT COUNT(*)
			FROM orders
			WHERE client IS NOT NULL AND (status <> 'pending' OR payment_method <> 'cod')`,
		"phones with too many open orders": `
			SELECT COUNT(*)
			FROM (SELECT customer_phone FROM orders WHERE client IS NOT NULL AND customer_id IS NULL GROUP BY customer_phone HAVING COUNT(*) > 8) AS phones`,
		"orders over that keep money": `
			SELECT COUNT(*)
			FROM orders o
			JOIN payment_attempts a ON a.order_id = o.id
			WHERE a.status = 'succeeded' AND o.status IN ('cancelled', 'expired', 'returned')`,
		"orders waiting for payment that never expire": `
			SELECT COUNT(*)
			FROM orders o
			WHERE o.status = 'pending_payment' AND o.expires_at IS NULL AND o.payment_status <> 'needs_review'`,
		"keys with more than one order": `
			SELECT COUNT(*) - COUNT(DISTINCT order_id)
			FROM idempotency_keys`,
	} {
		if n := w.number(w.t, query); n != 0 {
			w.t.Errorf("got %d %s, want none", n, what)
		}
	}
}

var (
	shipmentStatuses = []status.Shipment{
		status.ShipmentPickupRequested, status.ShipmentPicked, status.ShipmentAtHub, status.ShipmentInTransit, status.ShipmentOutForDelivery,
		status.ShipmentDelivered, status.ShipmentPartiallyDelivered, status.ShipmentOnHold, status.ShipmentDeliveryFailed,
		status.ShipmentReturning, status.ShipmentReturned, status.ShipmentCancelled, status.ShipmentExchanged,
	}
	attemptStatuses = []status.Attempt{
		status.AttemptPending, status.AttemptSucceeded, status.AttemptFailed, status.AttemptCancelled, status.AttemptExpired,
		status.AttemptNeedsReview, status.AttemptRefundDue, status.AttemptRefunded,
	}
)
