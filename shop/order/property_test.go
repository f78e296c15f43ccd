package order_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

var (
	propertySteps = flag.Int("order.steps", 600, "steps of each random walk of TestOrders_RandomWalk")
	propertySeeds = flag.Int("order.seeds", 2, "random walks of TestOrders_RandomWalk")
)

// TestOrders_RandomWalk runs random order operations on a shop, and checks
// its invariants after every few steps. For a long run:
// go test ./shop/order -run RandomWalk -order.seeds 50 -order.steps 5000
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
	s := newOrderShopIn(t, store, clock, uid, map[string]any{
		"openOrdersPerPhone": 8, "codExpiryHours": 1,
		"advance": map[string]any{
			"rules":   []any{map[string]any{"minTotal": 1200_00, "share": "percent", "percent": 30}, map[string]any{"minTotal": 500_00, "share": "total"}},
			"wallets": []any{map[string]any{"_id": "bkash", "method": "bkash", "number": "01711000000"}},
		},
	})
	s.mustSaveCoupon(t, order.CouponSpec{Code: "FEW", Kind: order.CouponPercentage, BasisPoints: new(int64(3333)), UsageLimit: new(int64(7))})
	s.mustSaveCoupon(t, order.CouponSpec{Code: "EACH", Kind: order.CouponFixed, Amount: new(int64(33_33)), CustomerLimit: new(int64(3))})
	for _, spec := range []order.CouponSpec{
		{Title: "A third off shirts", Kind: order.CouponPercentage, BasisPoints: new(int64(3333)), ProductIDs: []string{s.shirt.ID},
			UsageLimit: new(int64(9))},
		{Title: "Buy 2, get 1", Kind: order.CouponBuyGet, BasisPoints: new(int64(10_000)), BuyQuantity: new(int64(2)), GetQuantity: new(int64(1))},
		{Title: "Free delivery", Kind: order.CouponFreeDelivery, MinSubtotal: new(int64(900_00)), CustomerLimit: new(int64(2))},
	} {
		s.mustSaveCoupon(t, spec)
	}
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
		if step%9 == 4 { // as in the background
			if err := w.Orders.PostOrders(w.t.Context()); err != nil {
				w.t.Fatal(err)
			}
		}
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

// follow checks an order against its last state: final statuses stay, and no history is lost. It
// reads the order as staff, because buyers read equal entries of shipments in a row once.
func (w *walk) follow(uid string) {
	now, err := orderOf(w.Orders.FindOrderAsStaff(w.t.Context(), access.Operator(), uid))
	if err != nil {
		w.t.Fatal(err)
	}
	before := w.last[now.ID]
	w.last[now.ID] = now
	checkAmounts(w.t, now)
	staff, err := w.Orders.FindOrderAsStaff(w.t.Context(), access.Operator(), now.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	checkEarned(w.t, staff)
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

// checkAmounts checks that an order's amounts add up: its lines less credits and discount, with
// delivery and rounding, are what was paid, less refunds, and what is due.
func checkAmounts(t *testing.T, o *order.Order) {
	t.Helper()
	var lines, credits int64
	for _, item := range o.Items {
		lines += item.Total.Amount + item.Discount.Amount
	}
	units := map[string]int{}
	for _, credit := range o.Credits {
		credits += credit.Amount.Amount
		if credit.VariantID != nil {
			units[*credit.VariantID] += credit.Quantity
		}
	}
	for _, item := range o.Items {
		if units[item.VariantID] > item.Quantity {
			t.Errorf("order %d has %d of %d units of %s back", o.OrderNumber, units[item.VariantID], item.Quantity, item.Title)
		}
	}
	explained := o.QuantityDiscount.Amount
	for _, d := range o.Discounts {
		if d.Amount.Amount <= 0 {
			t.Errorf("order %d has the discount %s of %d", o.OrderNumber, d.Title, d.Amount.Amount)
		}
		if d.Kind != order.CouponFreeDelivery {
			explained += d.Amount.Amount
		}
	}
	if o.Coupon != nil {
		explained += o.Coupon.Discount.Amount
	}
	if explained > o.Discount.Amount { // the rest is staff's
		t.Errorf("order %d has a discount of %d with parts of %d", o.OrderNumber, o.Discount.Amount, explained)
	}
	cost := lines - o.ReturnedAmount.Amount - o.Discount.Amount + o.DeliveryCharge.Amount - o.Rounding.Amount
	kept := o.Paid.Amount - o.Refunded.Amount
	switch {
	case credits != o.ReturnedAmount.Amount:
		t.Errorf("order %d: credits of %d, returned %d", o.OrderNumber, credits, o.ReturnedAmount.Amount)
	case cost != kept+o.Due.Amount:
		t.Errorf("order %d costs %d, paid %d, refunded %d, due %d", o.OrderNumber, cost, o.Paid.Amount, o.Refunded.Amount, o.Due.Amount)
	case o.Refunded.Amount > 0 && kept < 0 && o.Payment.Method != status.PayCOD:
		t.Errorf("order %d: refunded %d of %d", o.OrderNumber, o.Refunded.Amount, o.Paid.Amount)
	case o.Status.IsClosed() && cost != 0:
		t.Errorf("order %d is %s and costs %d", o.OrderNumber, o.Status, cost)
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
				AND (o.payment_status IN ('paid', 'partially_refunded')) <> EXISTS (
					SELECT 1 FROM payment_attempts a WHERE a.order_id = o.id AND a.status = 'succeeded')`,
		"cash orders paid online": `
			SELECT COUNT(*)
			FROM orders o
			JOIN payment_attempts a ON a.order_id = o.id
			WHERE a.status = 'succeeded' AND a.advance = 0 AND o.payment_method = 'cod'`,
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
