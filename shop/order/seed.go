package order

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/sequence"
	"storefront/shop/status"
)

// SeedBuyer is a buyer of seeded orders.
type SeedBuyer struct {
	Name  string `json:"name"`
	Phone string `json:"phone"`
	Line1 string `json:"line1"`
	Area  string `json:"area"`
	City  string `json:"city"`
}

const (
	seedOrders = 120
	seedPeriod = 30 * 24 * time.Hour
	// seedInterval is the time between two seeded orders.
	seedInterval = seedPeriod / seedOrders
	seedFee      = 6000 // a courier's fee for a delivery, in minor units
)

// SeedOrders places orders of the last month in every status, with their shipments, statements and
// returns, unless the shop has an order. Their numbers end before the first number of a shop, and
// the stock remains unchanged: the goods were delivered to the shop before.
func (s *Orders) SeedOrders(ctx context.Context, caller access.Caller, buyers []SeedBuyer) error {
	who, err := s.data.Authorize(ctx, caller, access.ToReconcileStatement)
	if err != nil {
		return err
	}
	set, err := s.cfg.Checkout(ctx)
	if err != nil {
		return err
	}
	goods, err := s.seedGoods(ctx)
	if err != nil {
		return err
	}
	if len(goods) == 0 {
		return nil
	}
	seeder := &orderSeeder{s: s, who: who, set: set, goods: goods, buyers: buyers}
	accept := func(int64) bool { return true }
	seeder.set.Online = map[status.PaymentMethod]func(int64) bool{status.PayGatewayA: accept, status.PayGatewayB: accept}
	exists, err := s.hasOrders(ctx)
	if err != nil {
		return err
	}
	if exists {
		return nil
	}
	return s.data.UpdateAloneAs(ctx, who, func(_ context.Context, tx *db.Tx) error { return seeder.run(tx) })
}

// hasOrders reports whether the shop has an order, or had one.
func (s *Orders) hasOrders(ctx context.Context) (has bool, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		has, err = anyOrders(tx)
		return err
	})
	return has, err
}

// seedGoods returns the variants for seeded orders that have enough stock.
func (s *Orders) seedGoods(ctx context.Context) ([]ItemInput, error) {
	filter := catalogue.ProductFilter{Request: page.Request{Limit: new(100)}, InStock: new(true)}
	list, err := s.cfg.Catalogue.FindProducts(ctx, filter)
	if err != nil {
		return nil, fmt.Errorf("find products: %w", err)
	}
	slices.SortFunc(list.Nodes, func(a, b catalogue.Product) int { return strings.Compare(a.Handle, b.Handle) })
	var goods []ItemInput
	for _, p := range list.Nodes {
		for _, v := range p.Variants {
			if v.Available && (v.AvailableQuantity == nil || *v.AvailableQuantity >= 3) {
				goods = append(goods, ItemInput{ProductID: p.ID, VariantID: &v.ID})
			}
		}
	}
	return goods, nil
}

// orderSeeder creates the orders of one shop in one transaction.
type orderSeeder struct {
	s      *Orders
	who    access.Staff
	set    CheckoutSettings
	goods  []ItemInput
	buyers []SeedBuyer

	// State of one run of the transaction.
	now    time.Time
	random *rand.Rand
	steps  []seedStep
}

// seedStep is an event of a seeded order.
type seedStep struct {
	at time.Time
	do func(tx *db.Tx) error
}

// run creates the orders, with all their events in the order of time.
func (o *orderSeeder) run(tx *db.Tx) error {
	exists, err := anyOrders(tx)
	if err != nil {
		return err
	}
	if exists {
		return nil
	}
	if _, err := sequence.RaiseCounter(tx, orderCounter, 0, firstOrderNumber-1); err != nil {
		return err
	}
	now := tx.Now()
	o.now, o.random, o.steps = now, rand.New(rand.NewPCG(1, 2)), nil
	for i := range seedOrders {
		placed := now.Add(-seedPeriod + time.Duration(i)*seedInterval + time.Duration(o.random.Int64N(int64(seedInterval))))
		if i == seedOrders-1 {
			placed = now.Add(-5 * time.Minute) // its buyer is paying
		}
		o.plan(i, placed)
	}
	for _, provider := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		for n, days := range []int{16, 9, 3} {
			at := now.Add(-time.Duration(days) * 24 * time.Hour)
			o.steps = append(o.steps, seedStep{at, func(tx *db.Tx) error { return o.reconcile(tx, provider, n) }})
		}
	}
	slices.SortStableFunc(o.steps, func(a, b seedStep) int { return a.at.Compare(b.at) })
	for _, step := range o.steps {
		if step.at.After(now) {
			break // has not happened yet
		}
		tx.SetNow(step.at)
		if err := step.do(tx); err != nil {
			return err
		}
	}
	tx.SetNow(now)
	return nil
}

// plan adds the steps of an order.
func (o *orderSeeder) plan(i int, placed time.Time) {
	story := seedStoryOf(i)
	uid, number, provider := seedInvoiceUID(
		i,
	), int64(
		firstOrderNumber-seedOrders+i,
	), []plugin.Provider{plugin.CourierA, plugin.CourierB}[o.random.IntN(2)]
	in := o.input(i, story.method)
	o.steps = append(o.steps, seedStep{placed, func(tx *db.Tx) error { return o.place(tx, in, uid, number, !story.release) }})
	then := func(at time.Time, change seedChange) {
		o.steps = append(o.steps, seedStep{at, func(tx *db.Tx) error {
			row, err := requireOrder(tx, uid)
			if err == nil {
				err = change(o.s, tx, row, seedActors{o.who, provider})
			}
			if err != nil {
				return fmt.Errorf("order %d: %w", number, err)
			}
			return nil
		}})
	}
	at := placed
	for _, event := range story.events {
		at = at.Add(event.after + time.Duration(o.random.Int64N(int64(event.after)/4+1)))
		then(at, event.change)
	}
	for _, event := range seedRecordsOf(i, story.method) {
		then(placed.Add(event.after), event.change)
	}
}

// input returns the items of an order.
func (o *orderSeeder) input(i int, method status.PaymentMethod) Input {
	buyer := o.buyers[o.random.IntN(len(o.buyers))]
	in := Input{
		Customer:        &CustomerInput{Name: &buyer.Name, PhoneNumber: &buyer.Phone},
		ShippingAddress: &account.Address{Line1: buyer.Line1, Area: &buyer.Area, City: buyer.City},
		PaymentMethod:   &method,
	}
	for range 1 + o.random.IntN(3) {
		item := o.goods[o.random.IntN(len(o.goods))]
		item.Quantity = 1
		in.Items = append(in.Items, item)
	}
	if i%13 == 4 {
		in.Note = new("Please call before delivery.")
	}
	return in
}

// place places an order. Before, restock adds its units to the stock.
func (o *orderSeeder) place(tx *db.Tx, in Input, uid string, number int64, restock bool) error {
	cmd := orderCommand{set: o.set}
	req, err := in.check(o.set.Country)
	if err != nil {
		return err
	}
	placed := tx.Now()
	tx.SetNow(o.now) // the products have just been created
	lines, err := findOrderLines(tx, req.items)
	if err != nil {
		return err
	}
	if restock {
		if err := o.restock(tx, lines); err != nil {
			return err
		}
	}
	priced, err := cmd.priceOrder(tx, req, account.Account{}, true)
	if err != nil {
		return fmt.Errorf("order %d: %w", number, err)
	}
	tx.SetNow(placed)
	set := *o.set.Settings
	set.ActiveMode = plugin.Live // the views of work leave out orders of the sandbox
	_, err = o.s.createOrder(tx, &set, placement{pricedOrder: priced, uid: uid, number: number})
	return err
}

func (o *orderSeeder) restock(tx *db.Tx, lines []orderLine) error {
	var movements []catalogue.Movement
	for _, line := range lines {
		if !line.tracked {
			continue
		}
		if _, err := catalogue.ReleaseVariant(tx, line.variantID, line.quantity); err != nil {
			return err
		}
		movements = append(movements, catalogue.Movement{VariantID: line.variantID, Delta: int64(line.quantity)})
	}
	return o.s.cfg.Catalogue.RecordMovements(tx, nil, "adjustment", "Goods received", movements)
}

// reconcile records a courier's statement about its payouts. The last one pays less for one
// shipment than the courier owes.
func (o *orderSeeder) reconcile(tx *db.Tx, provider plugin.Provider, n int) error {
	unpaid, err := findUnpaidCash(tx, provider)
	if err != nil {
		return err
	}
	payouts := make([]cash.PaidShipment, len(unpaid))
	for i, shipment := range unpaid {
		payouts[i] = cash.PaidShipment{
			ConsignmentID: shipment.consignment, Collected: shipment.due, Fee: seedFee, Paid: shipment.due - seedFee,
		}
	}
	if n == 2 {
		payouts[0].Paid -= 10_000
	}
	return o.s.cfg.Cash.RecordPayout(tx, o.who, provider, fmt.Sprintf("seed-%s-%d", provider, n+1), payouts)
}

// seedInvoiceUID returns the invoice UID of a seeded order, the same in every shop.
func seedInvoiceUID(i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "order:%d", i))
	uid := make([]byte, invoiceUIDLength)
	for at := range uid {
		uid[at] = sequence.Crockford[sum[at]&31]
	}
	return string(uid)
}

// anyOrders reports whether the shop has an order, or had one.
func anyOrders(tx *db.Tx) (any bool, err error) {
	last, err := LastNumber(tx)
	if err != nil {
		return true, err
	}
	if last >= firstOrderNumber {
		return true, nil
	}
	if err := tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM orders)`).Scan(&any); err != nil {
		return false, fmt.Errorf("find orders: %w", err)
	}
	return any, nil
}

// unpaidCash is the cash of a delivered shipment that its courier has not paid out.
type unpaidCash struct {
	consignment string
	due         int64
}

func findUnpaidCash(tx *db.Tx, provider plugin.Provider) ([]unpaidCash, error) {
	list, err := db.Query(tx, func(r db.Row) (c unpaidCash, err error) {
		err = r.Scan(&c.consignment, &c.due)
		return c, err
	}, `
		SELECT s.consignment_id, o.total
		FROM shipments s
		JOIN orders o ON o.id = s.order_id
		WHERE s.provider = ? AND s.status = 'delivered' AND o.payment_method = 'cod' AND o.status = 'completed'
			AND NOT EXISTS (SELECT 1 FROM cash_statement_lines l WHERE l.shipment_id = s.id)
		ORDER BY o.number`, provider)
	if err != nil {
		return nil, fmt.Errorf("find unpaid cash: %w", err)
	}
	return list, nil
}

// SeedCoupon creates a coupon unless one has its code.
func (s *Orders) SeedCoupon(ctx context.Context, caller access.Caller, spec CouponSpec) error {
	who, err := s.data.Authorize(ctx, caller, access.ToSaveCoupon)
	if err != nil {
		return err
	}
	spec = spec.normalize()
	if err := spec.check(); err != nil {
		return err
	}
	return s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		_, err := requireCoupon(tx, spec.Code)
		if fault.HasCode(err, fault.CodeNotFound) {
			_, err = s.saveCoupon(tx, who, spec, nil)
		}
		return err
	})
}
