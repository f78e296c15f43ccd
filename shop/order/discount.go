package order

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/money"
)

// AppliedDiscount is an automatic discount of an order.
type AppliedDiscount struct {
	ID     string      `json:"_id"`
	Title  string      `json:"title"`
	Kind   CouponKind  `json:"kind"`
	Amount money.Money `json:"amount" doc:"A part of discount; free_delivery has the delivery charge that is waived, outside of discount"`
}

// grant is an automatic discount of an order, as it is stored with the order. Its rules are those
// at the time of the order, with which edits price the order again.
type grant struct {
	ID          string     `json:"id"`
	Title       string     `json:"title"`
	Kind        CouponKind `json:"kind"`
	Amount      int64      `json:"amount"` // granted, in minor units
	BasisPoints *int64     `json:"basisPoints,omitempty"`
	Fixed       *int64     `json:"fixed,omitempty"`
	MaxDiscount *int64     `json:"maxDiscount,omitempty"`
	MinSubtotal int64      `json:"minSubtotal,omitempty"`
	Buy         *int64     `json:"buy,omitempty"`
	Get         *int64     `json:"get,omitempty"`
	// products of the order that the discount applies to; null means all
	Products []string `json:"products,omitempty"`
	// products of the order among the units to get; null means as Products
	GetProducts []string `json:"getProducts,omitempty"`
}

// goods returns the part of the grant that is a discount on the order's items.
func (g *grant) goods() int64 {
	if g.Kind == CouponFreeDelivery {
		return 0
	}
	return g.Amount
}

// rules returns the rules without schedule and limits, which do not end what was granted.
func (g *grant) rules() couponRow {
	return couponRow{
		id: g.ID, title: g.Title, kind: g.Kind, basisPoints: g.BasisPoints, amount: g.Fixed, maxDiscount: g.MaxDiscount,
		minSubtotal: g.MinSubtotal, buyQuantity: g.Buy, getQuantity: g.Get, scoped: g.Products != nil, gotScoped: g.GetProducts != nil,
		active: true,
	}
}

// grantPattern matches the stored grants in lower case if one has the discount with this ID. JSON
// escapes the quotes of texts, so that no title matches.
func grantPattern(id string) string { return `%"id":"` + strings.ToLower(id) + `"%` }

// grants returns the order's automatic discounts.
func (o *orderRow) grants() (grants []grant) {
	if o.discounts == nil {
		return nil
	}
	if err := json.Unmarshal([]byte(*o.discounts), &grants); err != nil {
		panic(fmt.Sprintf("order %s: %v", o.id, err)) // grantsText has written it
	}
	return grants
}

// grantsText returns the discounts of a priced cart in the form in which an order stores them; nil
// if there are none.
func (f *figures) grantsText(lines []orderLine) *string {
	if len(f.discounts) == 0 {
		return nil
	}
	grants := make([]grant, len(f.discounts))
	for i, d := range f.discounts {
		grants[i] = grant{
			ID: d.id, Title: d.title, Kind: d.kind, Amount: d.amount, BasisPoints: d.basisPoints, Fixed: d.couponRow.amount,
			MaxDiscount: d.maxDiscount, MinSubtotal: d.minSubtotal, Buy: d.buyQuantity, Get: d.getQuantity,
		}
		if d.scoped {
			grants[i].Products = productsOf(lines, d.buy)
		}
		if d.gotScoped {
			grants[i].GetProducts = productsOf(lines, d.get)
		}
	}
	text, err := json.Marshal(grants)
	if err != nil {
		panic(err) // plain fields cannot fail
	}
	return new(string(text))
}

// productsOf returns the products of the marked lines, each once.
func productsOf(lines []orderLine, marked []bool) []string {
	ids := []string{}
	for i, line := range lines {
		if marked[i] && !slices.Contains(ids, line.productID) {
			ids = append(ids, line.productID)
		}
	}
	return ids
}

// appliedViews returns the discounts of a priced cart as responses show them.
func (f *figures) appliedViews(currency money.Currency) []AppliedDiscount {
	views := make([]AppliedDiscount, len(f.discounts))
	for i, d := range f.discounts {
		views[i] = AppliedDiscount{d.id, d.title, d.kind, currency.Money(d.amount)}
	}
	return views
}

// appliedViews returns the order's automatic discounts as responses show them.
func (o *orderRow) appliedViews(currency money.Currency) []AppliedDiscount {
	grants := o.grants()
	views := make([]AppliedDiscount, len(grants))
	for i, g := range grants {
		views[i] = AppliedDiscount{g.ID, g.Title, g.Kind, currency.Money(g.Amount)}
	}
	return views
}

// GoodsDiscounts returns the automatic discounts on the items, and the rest of the discount.
func (o *Order) GoodsDiscounts() (goods []AppliedDiscount, rest money.Money) {
	rest = o.Discount
	for _, d := range o.Discounts {
		if d.Kind != CouponFreeDelivery {
			goods = append(goods, d)
			rest.Amount -= d.Amount.Amount
		}
	}
	return goods, rest
}

// FreeDelivery returns the title of the automatic discount that waives the delivery charge; "" if
// there is none.
func (o *Order) FreeDelivery() string {
	for _, d := range o.Discounts {
		if d.Kind == CouponFreeDelivery {
			return d.Title
		}
	}
	return ""
}

// useDiscounts adds the automatic discounts that the cart may get: the active ones, and grants,
// which an order has already. Uses by the order that the cart replaces do not count.
func (c *cart) useDiscounts(tx *db.Tx, holder couponHolder, grants []grant, lines []orderLine) error {
	isActive := slices.ContainsFunc(lines, func(l orderLine) bool { return l.discounted })
	if !isActive && len(grants) == 0 {
		return nil
	}
	found, err := findDiscounts(tx, grants, lines)
	if err != nil {
		return err
	}
	var replaced []grant
	if holder.replaced != nil {
		replaced = holder.replaced.grants()
	}
	for i := range found {
		d := &found[i]
		isThis := func(g grant) bool { return g.ID == d.id }
		if at := slices.IndexFunc(grants, isThis); at >= 0 {
			d.retain(&grants[at], lines)
			continue
		}
		if slices.ContainsFunc(replaced, isThis) {
			d.used--
		}
		d.use.signedIn = !holder.account.IsGuest()
		if d.use.times, err = countCouponUses(tx, d.couponRow, holder); err != nil {
			return err
		}
	}
	c.discounts = found
	return nil
}

// retain replaces the rules by the granted ones. The products that they applied to, and those that
// the discount applies to now, are in its scope.
func (d *automaticDiscount) retain(g *grant, lines []orderLine) {
	d.couponRow, d.use = g.rules(), earlierUses{signedIn: true}
	for i, line := range lines {
		d.buy[i] = !d.scoped || d.buy[i] || slices.Contains(g.Products, line.productID)
		switch {
		case d.gotScoped:
			d.get[i] = d.get[i] || slices.Contains(g.GetProducts, line.productID)
		default:
			d.get[i] = d.buy[i]
		}
	}
}

// activeDiscount is the condition for an automatic discount c that applies at a time, which it has
// twice as an argument.
const activeDiscount = `c.code_key IS NULL AND c.active = 1 AND (c.starts_at IS NULL OR c.starts_at <= ?) AND (c.ends_at IS NULL OR c.ends_at > ?)`

// findDiscounts returns the automatic discounts that apply now, and the granted ones, in the order
// in which they were created, with the lines in their scopes.
func findDiscounts(tx *db.Tx, grants []grant, lines []orderLine) (found []automaticDiscount, err error) {
	ids := make([]string, len(lines))
	for i, line := range lines {
		ids[i] = line.productID
	}
	granted := make([]string, len(grants))
	for i, g := range grants {
		granted[i] = g.ID
	}
	list, products := db.InList(ids)
	grantList, grantArgs := db.InList(append(granted, "")) // no discount has the ID ""
	now := db.Millis(tx.Now())
	err = tx.Each(discountsQuery(list, grantList), slices.Concat(products, products, grantArgs, []any{now, now}), func(r db.Row) error {
		var productID string
		var isGot bool
		row, err := scanCouponWith(r, &productID, &isGot)
		if err != nil {
			return err
		}
		if len(found) == 0 || found[len(found)-1].id != row.id {
			found = append(found, newAutomaticDiscount(row, len(lines)))
		}
		d := &found[len(found)-1]
		for i, line := range lines {
			if line.productID == productID {
				d.mark(i, isGot)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find automatic discounts: %w", err)
	}
	return found, nil
}

// discountsQuery selects a row for each product in the scopes of a discount, at least one.
func discountsQuery(products, granted string) string {
	return `
		SELECT ` + couponColumns + `, COALESCE(m.product_id, ''), COALESCE(m.got, 0)
		FROM coupons c
		LEFT JOIN (
			SELECT s.coupon_id, s.product_id, s.got
			FROM coupon_scopes s
			WHERE s.product_id IN ` + products + `
			UNION
			SELECT s.coupon_id, cp.product_id, s.got
			FROM collection_products cp
			JOIN coupon_scopes s ON s.collection_id = cp.collection_id
			WHERE cp.product_id IN ` + products + `
		) m ON m.coupon_id = c.id
		WHERE c.code_key IS NULL AND (c.id IN ` + granted + ` OR ` + activeDiscount + `)
		ORDER BY c.id`
}

// newAutomaticDiscount returns a discount with the lines that it applies to without scopes.
func newAutomaticDiscount(row couponRow, lines int) automaticDiscount {
	d := automaticDiscount{couponRow: row, buy: make([]bool, lines), get: make([]bool, lines)}
	for i := range lines {
		d.buy[i] = !row.scoped
		d.get[i] = !row.scoped && !row.gotScoped
	}
	return d
}

// mark adds a line to a scope. Without a scope of their own, the units to get are of the units to
// buy.
func (d *automaticDiscount) mark(line int, isGot bool) {
	if !isGot {
		d.buy[line] = true
	}
	if isGot == d.gotScoped {
		d.get[line] = true
	}
}

// countActiveDiscounts counts the active automatic discounts, except one.
func countActiveDiscounts(tx *db.Tx, except string) (n int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM coupons c
		WHERE c.code_key IS NULL AND c.active = 1 AND c.id <> ?`, except).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count automatic discounts: %w", err)
	}
	return n, nil
}
