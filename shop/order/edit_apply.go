package order

import (
	"cmp"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
)

// applyContact sets the recipient, the address and the note of the order, without saving it.
func (o *orderRow) applyContact(tx *db.Tx, set *Settings, edit Edit) (err error) {
	if edit.Name != nil {
		o.name = *edit.Name
	}
	if edit.Note != nil {
		o.note = *edit.Note
	}
	if to := edit.Address; to != nil {
		if err := set.checkCountry(to); err != nil {
			return err
		}
		o.line1, o.line2, o.area, o.city = to.Line1, db.TextOf(to.Line2), db.TextOf(to.Area), to.City
		o.postcode, o.country = db.TextOf(to.Postcode), db.TextOf(to.Country)
	}
	phone, email := o.phone, db.TextOf(o.email)
	if edit.PhoneNumber != nil {
		o.phone = *edit.PhoneNumber
	}
	if edit.Email != nil {
		o.email = db.NullText(*edit.Email)
	}
	if o.phone != phone || db.TextOf(o.email) != email {
		return o.followContact(tx)
	}
	return nil
}

// followContact assigns the order to the account with its verified phone number or e-mail address,
// unless a customer was signed in when placing it. Otherwise the owner of a mistyped number could
// still read the order after the correction.
func (o *orderRow) followContact(tx *db.Tx) error {
	if o.customerID != nil && o.signedIn {
		return nil
	}
	owner, err := account.FindContactOwner(tx, o.phone, o.email)
	o.customerID, o.signedIn = db.NullText(owner), false
	return err
}

// shippingTo returns the order's shipping address.
func (o *orderRow) shippingTo() *account.Address {
	return &account.Address{
		Line1: o.line1, Line2: db.NullText(o.line2), Area: db.NullText(o.area), City: o.city,
		Postcode: db.NullText(o.postcode), Country: db.NullText(o.country),
	}
}

// stockChange is an edit's change of the stock.
type stockChange struct {
	before []orderItemRow
	lines  []orderLine // current lines of the order
}

// applyItems sets the lines of the order and prices it again, without saving it. Codes:
// validation_failed, out_of_stock, the coupon codes, delivery_charge_required.
func (o *orderRow) applyItems(tx *db.Tx, set *Settings, edit Edit) (*stockChange, error) {
	items := o.staffItems()
	if edit.Items != nil {
		items = *edit.Items
	}
	held := o.items
	if edit.held != nil {
		held = edit.held
	}
	lines, err := findStaffLines(tx, items, held)
	if err != nil {
		return nil, err
	}
	if err := checkStock(lines); err != nil {
		return nil, err
	}
	c := cart{method: o.method, address: o.shippingTo(), now: tx.Now(), staffDiscount: o.staffDiscount}
	if edit.StaffDiscount != nil {
		c.staffDiscount, o.discountReason = edit.StaffDiscount.Amount, edit.StaffDiscount.Reason
	}
	set.retainDelivery(&c, o, edit)
	offers := staffOffers{
		customerID: db.TextOf(o.customerID), phone: o.phone, code: db.TextOf(o.couponCode), replaced: o, couponOf: cmp.Or(edit.couponOf, o),
		grants: append(o.grants(), edit.granted...),
	}
	if edit.CouponCode != nil {
		offers.code = *edit.CouponCode
	}
	if err := c.useStaffOffers(tx, offers, lines); err != nil {
		return nil, err
	}
	c.lines = cartLines(lines)
	f, err := set.priceCart(c)
	if err != nil {
		return nil, err
	}
	if f.refused != nil {
		return nil, f.refused.WithField("couponCode")
	}
	if f.total < o.received() {
		return nil, errAdvanceTooLarge(set.Currency, f.total, o.received())
	}
	change := &stockChange{before: o.items, lines: lines}
	o.setFigures(&pricedOrder{lines: lines, coupon: c.coupon, figures: f})
	switch {
	case f.delivery != nil:
		o.deliveryChargeID, o.deliveryName = f.delivery.ID, f.delivery.Name
	case edit.DeliveryCharge != nil:
		o.deliveryChargeID, o.deliveryName = "", ""
	}
	return change, nil
}

// staffOffers are the coupon and the automatic discounts of an order placed or edited by staff.
type staffOffers struct {
	customerID, phone  string    // of the order; customerID is "" without an account
	code               string    // of the coupon; "" means none
	replaced, couponOf *orderRow // the edited order, and the one that has used the coupon; nil means none
	grants             []grant   // that the order can retain
}

// useStaffOffers adds the coupon and the automatic discounts to the cart. Codes: the coupon codes.
func (c *cart) useStaffOffers(tx *db.Tx, of staffOffers, lines []orderLine) (err error) {
	holder := couponHolder{phone: of.phone, replaced: of.replaced}
	if of.customerID != "" {
		if holder.account, err = account.FindAccount(tx, of.customerID); err != nil {
			return err
		}
	}
	if err := c.useDiscounts(tx, holder, of.grants, lines); err != nil {
		return err
	}
	if of.code == "" {
		return nil
	}
	holder.replaced = of.couponOf
	refused, err := c.useCoupon(tx, of.code, holder, lines)
	if err == nil && refused != nil {
		err = refused.WithField("couponCode")
	}
	return err
}

// retainDelivery sets the delivery of an edited order's cart. An order retains its delivery charge
// unless the edit selects another. The rules for free delivery apply again.
func (set *Settings) retainDelivery(c *cart, o *orderRow, edit Edit) {
	switch {
	case edit.DeliveryCharge != nil:
		c.deliveryCharge = edit.DeliveryCharge
		return
	case edit.DeliveryChargeID != nil:
		c.deliveryChargeID = *edit.DeliveryChargeID
		return
	}
	i := slices.IndexFunc(set.DeliveryCharges, func(d DeliveryOption) bool { return d.ID == o.deliveryChargeID })
	if o.deliveryChargeID == "" || i < 0 {
		c.deliveryCharge = &o.deliveryCharge
		return
	}
	option := set.DeliveryCharges[i]
	if option.Name = o.deliveryName; o.deliveryCharge > 0 {
		option.Charge = o.deliveryCharge
	}
	c.delivery = &option
}

// staffItems returns the order's lines as the input that leaves them unchanged.
func (o *orderRow) staffItems() []StaffItemInput {
	items := make([]StaffItemInput, len(o.items))
	for i, item := range o.items {
		items[i] = StaffItemInput{VariantID: item.variantID, Quantity: item.quantity}
	}
	return items
}

// setFigures sets the lines, the coupon and the amounts of the order.
func (o *orderRow) setFigures(priced *pricedOrder) {
	f := priced.figures
	o.items = priced.itemRows()
	o.subtotal, o.discount, o.staffDiscount = f.subtotal, f.discount, f.staffDiscount
	o.quantityDiscount, o.automaticDiscount, o.discounts = f.quantityDiscount, f.automaticDiscount, f.grantsText(priced.lines)
	o.deliveryCharge, o.rounding, o.total = f.deliveryCharge, f.rounding, f.total
	o.couponID, o.couponCode = nil, nil
	if priced.coupon != nil {
		o.couponID, o.couponCode = &priced.coupon.id, &priced.coupon.code
	}
}

// changeStock reserves and releases the differences of an edited order. Codes: out_of_stock.
func (s *Orders) changeStock(tx *db.Tx, o *orderRow, change *stockChange) error {
	units := map[string]int{} // reserved now, less the earlier reservation
	for _, item := range change.before {
		if item.stockReserved {
			units[item.variantID] -= item.quantity
		}
	}
	var more []orderLine
	var reservations []catalogue.Reservation
	for _, line := range change.lines {
		if line.tracked {
			units[line.variantID] += line.quantity
		}
		if n := units[line.variantID]; n > 0 {
			more, reservations = append(more, line), append(reservations, catalogue.Reservation{VariantID: line.variantID, Units: n})
		}
	}
	ok, err := catalogue.ReserveVariants(tx, reservations)
	if err != nil {
		return err
	}
	var short []orderLine
	var movements []catalogue.Movement
	for i, line := range more {
		if !ok[i] {
			short = append(short, line)
		}
		movements = append(movements, catalogue.Movement{VariantID: line.variantID, Delta: -int64(reservations[i].Units)})
	}
	if len(short) > 0 {
		return errOutOfStock(short)
	}
	for _, item := range change.before {
		n := -units[item.variantID]
		if n <= 0 {
			continue
		}
		ok, err := catalogue.ReleaseVariant(tx, item.variantID, n)
		if err != nil {
			return err
		}
		if ok {
			movements = append(movements, catalogue.Movement{VariantID: item.variantID, Delta: int64(n)})
		}
	}
	if err := changeSold(tx, change.before, o.items); err != nil {
		return err
	}
	return s.cfg.Catalogue.RecordMovements(tx, &o.number, catalogue.MovedByEdit, "", movements)
}

// changeSold counts the units sold by the lines of an edited order, and raises the revision of its
// products, since their stock has changed.
func changeSold(tx *db.Tx, before, now []orderItemRow) error {
	sold := soldCounts{}
	for _, item := range before {
		sold.add(item.productID, -item.quantity)
	}
	for _, item := range now {
		sold.add(item.productID, item.quantity)
	}
	if err := sold.save(tx); err != nil {
		return err
	}
	return catalogue.TouchProducts(tx, sold.productIDs)
}

// auditContents are the contents of an order that the audit log compares.
type auditContents struct {
	name, phone, email, address, note string
	items                             []auditItem
	deliveryID, coupon, reason        string
	charge, staffDiscount, total      int64
	quantityDiscount                  int64
	automaticDiscount                 int64
}

// auditItem is a line of an order in the audit log.
type auditItem struct {
	VariantID string `json:"variantId"`
	Title     string `json:"title"`
	Quantity  int    `json:"quantity"`
	UnitPrice int64  `json:"unitPrice"`
}

func (o *orderRow) auditContents() auditContents {
	items := make([]auditItem, len(o.items))
	for i, item := range o.items {
		items[i] = auditItem{item.variantID, joinNonEmpty(item.title, item.variantTitle), item.quantity, item.unitPrice}
	}
	return auditContents{
		name: o.name, phone: o.phone, email: db.TextOf(o.email), note: o.note, items: items,
		address:    joinNonEmpty(o.line1, o.line2, o.area, o.city, o.postcode, o.country),
		deliveryID: o.deliveryChargeID, coupon: db.TextOf(o.couponCode), reason: o.discountReason,
		charge: o.deliveryCharge, staffDiscount: o.staffDiscount, total: o.total,
		quantityDiscount: o.quantityDiscount, automaticDiscount: o.automaticDiscount,
	}
}

// changes returns the differences to earlier contents.
func (a auditContents) changes(before auditContents) []access.Change {
	changes := slices.Concat(
		access.Changed("customer.name", before.name, a.name), access.Changed("customer.phoneNumber", before.phone, a.phone),
		access.Changed("customer.email", before.email, a.email), access.Changed("shippingAddress", before.address, a.address),
		access.Changed("note", before.note, a.note), access.Changed("deliveryChargeId", before.deliveryID, a.deliveryID),
		access.Changed("deliveryCharge", before.charge, a.charge), access.Changed("couponCode", before.coupon, a.coupon),
		access.Changed("staffDiscount.amount", before.staffDiscount, a.staffDiscount),
		access.Changed("quantityDiscount", before.quantityDiscount, a.quantityDiscount),
		access.Changed("automaticDiscount", before.automaticDiscount, a.automaticDiscount),
		access.Changed("staffDiscount.reason", before.reason, a.reason), access.Changed("total", before.total, a.total),
	)
	if !slices.Equal(a.items, before.items) {
		changes = append(changes, access.Change{Field: "items", Before: before.items, After: a.items})
	}
	return changes
}
