package demo

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
)

const (
	orders = 120
	period = 30 * 24 * time.Hour
	// interval is the time between two orders.
	interval = period / orders
)

// author writes the stories of orders by the use cases of a shop in the past.
type author struct {
	past    *shop.Shop
	orders  *order.Orders // of the past shop
	caller  access.Caller
	now     time.Time
	goods   []order.ItemInput
	counted map[string]bool // variants with a stock
	buyers  []buyer
	random  *rand.Rand
	courier courier
	gateway gateway
	steps   []step
	// uncounted means that goods without a stock are ordered, too.
	uncounted bool
	// unpaid are the cash orders that each courier has delivered since its last statement.
	unpaid map[plugin.Provider][]*purchase
}

// step is an event of an order.
type step struct {
	at time.Time
	of *purchase
	do action
}

// purchase is an order with its story.
type purchase struct {
	story
	input   order.Input
	courier plugin.Provider

	// Set when it is placed.
	id     string
	number int64
	total  money.Money
}

// buyer is a buyer of orders.
type buyer struct{ Name, Phone, Line1, Area, City string }

// seedOrders places orders of the last month in every status, with their shipments, statements and
// returns. The stock remains unchanged: the goods were delivered to the shop before. uncounted
// includes goods without stock.
func seedOrders(ctx context.Context, s *shop.Shop, caller access.Caller, uncounted bool) error {
	a := &author{caller: caller, buyers: decode[[]buyer](buyers), uncounted: uncounted, counted: map[string]bool{}}
	providers := []plugin.Plugin{
		{Provider: plugin.CourierA, Courier: &a.courier, CourierWebhooks: &a.courier},
		{Provider: plugin.CourierB, Courier: &a.courier, CourierWebhooks: &a.courier},
		{Provider: plugin.GatewayA, Gateway: &a.gateway},
		{Provider: plugin.GatewayB, Gateway: &a.gateway},
	}
	return s.WriteHistory(ctx, caller, orders, providers, a.write)
}

// write writes the stories of all orders, with all their events in the order of time.
func (a *author) write(
	ctx context.Context, past *shop.Shop, now time.Time, setNow func(time.Time),
) (err error) {
	a.past, a.orders, a.random, a.steps = past, past.Orders, rand.New(rand.NewPCG(1, 2)), nil
	a.gateway = gateway{payments: map[string]plugin.GatewayStatus{}, refs: map[string]string{}}
	a.unpaid = map[plugin.Provider][]*purchase{}
	start := now.Add(-period)
	if a.uncounted {
		if err := a.supply(ctx, start); err != nil {
			return err
		}
	}
	setNow(start)
	if a.goods, err = a.findGoods(ctx, past); err != nil {
		return err
	}
	if len(a.goods) == 0 {
		return nil
	}
	a.plan(start)
	slices.SortStableFunc(a.steps, func(a, b step) int { return a.at.Compare(b.at) })
	for _, step := range a.steps {
		if step.at.After(now) {
			break // has not happened yet
		}
		a.now = step.at
		setNow(a.now)
		if err := step.do(ctx, a, step.of); err != nil {
			return fmt.Errorf("order %d: %w", step.of.number, err)
		}
	}
	return a.advertise(ctx, start, now)
}

// InventOrders places the demo's orders in a shop with other products, after it has published them
// and received units. It returns their number: none if the shop has no product, or has an order.
func InventOrders(ctx context.Context, s *shop.Shop, caller access.Caller) (int, error) {
	if err := seedOrders(ctx, s, caller, true); err != nil {
		return 0, err
	}
	work, err := s.Orders.CountOrders(ctx, caller)
	if err != nil {
		return 0, err
	}
	for _, of := range work.Views {
		if of.View == order.ViewAll {
			return of.Count, nil
		}
	}
	return 0, nil
}

// supply publishes the first products before a time, and receives units of those with a stock.
func (a *author) supply(ctx context.Context, before time.Time) error {
	list, err := a.past.Catalogue.FindProducts(ctx, catalogue.ProductFilter{Request: page.Request{Limit: new(100)}})
	if err != nil {
		return fmt.Errorf("find products: %w", err)
	}
	var units []catalogue.StockItem
	for _, p := range list.Nodes {
		if p.PublishedAt.After(before) {
			change := catalogue.ProductChange{PublishedAt: &before}
			if _, err := a.past.Catalogue.UpdateProduct(ctx, a.caller, p.ID, change); err != nil {
				return fmt.Errorf("publish %s: %w", p.Handle, err)
			}
		}
		for _, v := range p.Variants {
			if v.AvailableQuantity != nil {
				units = append(units, catalogue.StockItem{VariantID: v.ID, Adjust: new(int64(20))})
			}
		}
	}
	for part := range slices.Chunk(units, 100) {
		if _, err := a.past.Catalogue.ChangeStocks(ctx, a.caller, part, "Goods received"); err != nil {
			return fmt.Errorf("receive goods: %w", err)
		}
	}
	return nil
}

// findGoods returns the variants that have enough counted stock.
func (a *author) findGoods(ctx context.Context, s *shop.Shop) (goods []order.ItemInput, err error) {
	filter := catalogue.ProductFilter{Request: page.Request{Limit: new(100)}}
	list, err := s.Catalogue.FindProducts(ctx, filter)
	if err != nil {
		return nil, fmt.Errorf("find products: %w", err)
	}
	slices.SortFunc(list.Nodes, func(a, b catalogue.Product) int {
		return cmp.Compare(a.Handle, b.Handle)
	})
	for _, p := range list.Nodes {
		for _, v := range p.Variants {
			a.counted[v.ID] = v.AvailableQuantity != nil
			if a.uncounted && !a.counted[v.ID] || a.counted[v.ID] && *v.AvailableQuantity >= 3 {
				goods = append(goods, order.ItemInput{ProductID: p.ID, VariantID: &v.ID, Quantity: 1})
			}
		}
	}
	return goods, nil
}

// plan adds the steps of all orders and of the couriers' statements.
func (a *author) plan(start time.Time) {
	couriers := []plugin.Provider{plugin.CourierA, plugin.CourierB}
	for i := range orders {
		placed := start.Add(time.Duration(i)*interval + a.jitter(interval))
		if i == orders-1 {
			placed = start.Add(period - 5*time.Minute) // its buyer is paying
		}
		o := &purchase{story: storyOf(i), courier: couriers[a.random.IntN(len(couriers))]}
		o.input = a.input(i)
		o.input.PaymentMethod = &o.method
		a.steps = append(a.steps, step{placed, o, place})
		at := placed
		for _, event := range o.events {
			at = at.Add(event.after + a.jitter(event.after/4+1))
			a.steps = append(a.steps, step{at, o, event.do})
		}
		for _, event := range recordsOf(i, o.method) {
			a.steps = append(a.steps, step{placed.Add(event.after), o, event.do})
		}
	}
	for _, courier := range couriers {
		for day, missing := range map[int]int64{14: 0, 21: 0, 26: 100_00} {
			at := start.Add(time.Duration(day) * 24 * time.Hour)
			a.steps = append(a.steps, step{at, &purchase{courier: courier}, reconcile(missing)})
		}
	}
}

// jitter returns a random duration below a limit.
func (a *author) jitter(limit time.Duration) time.Duration {
	return time.Duration(a.random.Int64N(int64(limit)))
}

// input returns the content of the ith order.
func (a *author) input(i int) (in order.Input) {
	buyer := a.buyers[a.random.IntN(len(a.buyers))]
	in.Customer = &order.CustomerInput{Name: &buyer.Name, PhoneNumber: &buyer.Phone}
	in.ShippingAddress = &account.Address{Line1: buyer.Line1, Area: &buyer.Area, City: buyer.City}
	for range 1 + a.random.IntN(3) {
		in.Items = append(in.Items, a.goods[a.random.IntN(len(a.goods))])
	}
	in.Attribution = attribution(i)
	if i%13 == 4 {
		in.Note = new("Please call before delivery.")
	}
	return in
}
