package order

import (
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/status"
)

// CreditReason is why an order was reduced after the sale.
//
//api:enum CreditReason
type CreditReason string

// The reasons. Staff name the last five; the others follow from the order.
const (
	CreditNotAccepted CreditReason = "not_accepted" // the buyer did not accept the units on delivery
	CreditReturned    CreditReason = "returned"     // the whole order came back
	CreditCancelled   CreditReason = "cancelled"    // the order was cancelled, or has expired
	CreditSentBack    CreditReason = "sent_back"    // the buyer sent the units back
	CreditDamaged     CreditReason = "damaged"      // the units arrived damaged
	CreditMissing     CreditReason = "missing"      // the units did not arrive
	CreditGoodwill    CreditReason = "goodwill"     // the shop granted an amount
	CreditOther       CreditReason = "other"        // for another reason
)

// RefundReasons returns the reasons that staff can name for a refund.
func RefundReasons() []CreditReason {
	return []CreditReason{CreditSentBack, CreditDamaged, CreditMissing, CreditGoodwill, CreditOther}
}

// Credit is a credit line of an order: units that came back, or an amount granted to the buyer.
type Credit struct {
	ID        *string      `json:"_id"       doc:"null in a credit that follows from the end of the order"`
	VariantID *string      `json:"variantId" doc:"null in a credit without units"`
	Title     *string      `json:"title"     doc:"Title of the order line; null in a credit without units"`
	Quantity  int          `json:"quantity"  doc:"Units that the buyer does not have; 0 if only the amount is credited"`
	Restocked int          `json:"restocked" doc:"Units that are in the stock again"`
	Amount    money.Money  `json:"amount"`
	Reason    CreditReason `json:"reason"`
	At        time.Time    `json:"at"`
}

// creditRow is a row of order_credits.
type creditRow struct {
	id          string
	position    int // of the line, from 1; 0 means no units
	quantity    int
	restocked   int
	amount      int64
	reason      CreditReason
	uncollected bool // the buyer did not pay the amount; otherwise it is to be refunded
	by          string
	at          int64
}

// creditedUnits returns for each line the units of its credits. With refunded only those that the
// buyer had paid.
func (o *orderRow) creditedUnits(refunded bool) []int {
	units := make([]int, len(o.items))
	for _, credit := range o.credits {
		if credit.position > 0 && !(refunded && credit.uncollected) {
			units[credit.position-1] += credit.quantity
		}
	}
	return units
}

// creditedAmounts returns for each line the sum of its credits.
func (o *orderRow) creditedAmounts() []int64 {
	amounts := make([]int64, len(o.items))
	for _, credit := range o.credits {
		if credit.position > 0 {
			amounts[credit.position-1] += credit.amount
		}
	}
	return amounts
}

// shareOf returns the part of a line's amount for some of its units: of all units it is the whole
// amount.
func (i *orderItemRow) shareOf(units int) int64 {
	amount, all, some := i.amount(), int64(i.quantity), int64(units)
	return amount/all*some + amount%all*some/all // in two parts, so that no product overflows
}

// creditViews returns the credits of the order. In a closed order they add up to its total.
func (o *orderRow) creditViews(currency money.Currency) []Credit {
	views := []Credit{}
	add := func(credit creditRow) {
		view := Credit{
			ID: db.NullText(credit.id), Quantity: credit.quantity, Restocked: credit.restocked,
			Amount: currency.Money(credit.amount), Reason: credit.reason, At: db.FromMillis(credit.at),
		}
		if credit.position > 0 {
			item := &o.items[credit.position-1]
			view.VariantID, view.Title = &item.variantID, new(joinNonEmpty(item.title, item.variantTitle))
		}
		views = append(views, view)
	}
	rest := o.total
	for _, credit := range o.credits {
		add(credit)
		rest -= credit.amount
	}
	if !o.status.IsClosed() {
		return views
	}
	end := creditRow{reason: CreditCancelled, at: o.closedAt()}
	if o.status == status.OrderReturned {
		end.reason = CreditReturned
		units, amounts := o.creditedUnits(false), o.creditedAmounts()
		for i := range o.items {
			item, back := &o.items[i], end
			back.position, back.quantity = i+1, item.quantity-units[i]
			back.amount = min(rest, max(0, item.amount()-amounts[i]))
			if back.restocked = max(0, back.quantity-item.damaged); back.quantity > 0 {
				rest -= back.amount
				add(back)
			}
		}
	}
	if end.amount = rest; rest > 0 { // its delivery charge, or all of it
		add(end)
	}
	return views
}

// closedAt returns the time at which the order was closed.
func (o *orderRow) closedAt() int64 {
	for _, e := range slices.Backward(o.events) {
		if e.kind == TimelineType(o.status) {
			return e.at
		}
	}
	return o.updatedAt
}

// notAccepted returns the credits of the units that a buyer did not accept; nil if restock is nil.
// The rest of a cash order is rounded down, as its total was. Codes: validation_failed.
func (o *orderRow) notAccepted(restock []RestockInput, set *Settings) ([]creditRow, error) {
	if restock == nil {
		return nil, nil
	}
	refunded := o.creditedUnits(true)
	named, err := o.namedLines(restock,
		func(i int) int { return o.items[i].quantity - refunded[i] })
	if err != nil {
		return nil, err
	}
	credits, all, rest, stated := []creditRow{}, true, o.total-o.credited+o.uncollected, false
	for i := range o.items {
		item, back := &o.items[i], named[i]
		units := back.Quantity + back.Damaged
		if all = all && units == item.quantity; units == 0 {
			continue
		}
		credit := creditRow{
			position: i + 1, quantity: units, restocked: back.Quantity, amount: item.shareOf(units),
			reason: CreditNotAccepted, uncollected: true,
		}
		if back.Amount != nil {
			credit.amount, stated = *back.Amount, true
		}
		rest -= credit.amount
		credits = append(credits, credit)
	}
	if all {
		var bad fault.Invalid
		bad.Add("restock", fault.CodeInvalidValue, "All of the order came back: record a return.")
		return nil, bad.Err()
	}
	if n := len(credits); n > 0 && o.method == status.PayCOD && !stated && rest > 0 {
		credits[n-1].amount += set.cashRoundingOf(rest)
	}
	return credits, nil
}

// saveNotAccepted replaces the credits of units that the buyer did not accept. nil leaves them.
// Codes: validation_failed, state_conflict (the units have been sold).
func (c *orderChange) saveNotAccepted(who access.Staff, credits []creditRow) error {
	if credits == nil {
		return nil
	}
	c.o.credits = slices.DeleteFunc(slices.Clone(c.o.credits),
		func(credit creditRow) bool { return credit.uncollected })
	if err := c.addCredits(who, credits); err != nil {
		return err
	}
	return c.resolvePartBack()
}

// addCredits adds credits to the order, saves all its credits and adds the restocked units to the
// stock. Codes: validation_failed (they exceed the order), state_conflict (units that are not
// restocked any more have been sold).
func (c *orderChange) addCredits(who access.Staff, credits []creditRow) error {
	o := c.o
	by, err := actorText(who)
	if err != nil {
		return err
	}
	for _, credit := range credits {
		credit.id, credit.by, credit.at = c.s.ids.Next(db.FromMillis(c.now)), by, c.now
		o.credits = append(o.credits, credit)
	}
	return c.applyCredits()
}

// applyCredits saves the credits of the order and their sums, and brings the stock to their
// restocked units. Codes: as for addCredits.
func (c *orderChange) applyCredits() error {
	o := c.o
	o.credited, o.uncollected = 0, 0
	restocked := make([]int, len(o.items))
	for _, credit := range o.credits {
		o.credited += credit.amount
		if credit.uncollected {
			o.uncollected += credit.amount
		}
		if credit.position > 0 {
			restocked[credit.position-1] += credit.restocked
		}
	}
	if o.credited > o.total {
		var bad fault.Invalid
		bad.Add("amount", fault.CodeInvalidValue, "The order can be reduced to zero at most.")
		return bad.Err()
	}
	c.wrote.credits = true
	if err := saveCredits(c.tx, o); err != nil {
		return err
	}
	return c.s.restockUnits(c.tx, o, restocked)
}

var creditInsertion = db.NewInsertion(
	"order_credits (order_number, id, position, quantity, restocked, amount, reason, uncollected, created_by, at)",
)

// saveCredits replaces the stored credits of an order and their sums.
func saveCredits(tx *db.Tx, o *orderRow) error {
	err := tx.Do(`
		DELETE FROM order_credits
		WHERE order_number = ?`, o.number)
	values := make([]any, 0, len(o.credits)*creditInsertion.Columns)
	for _, credit := range o.credits {
		values = append(values, o.number, credit.id, credit.position, credit.quantity, credit.restocked, credit.amount,
			string(credit.reason), db.BoolInt(credit.uncollected), credit.by, credit.at)
	}
	if err == nil && len(values) > 0 {
		err = creditInsertion.Run(tx, values)
	}
	if err == nil {
		err = tx.Do(`
		UPDATE orders
		SET credited = ?, uncollected = ?
		WHERE number = ?`, o.credited, o.uncollected, o.number)
	}
	if err != nil {
		return fmt.Errorf("save credits: %w", err)
	}
	o.saved = true
	return nil
}

// loadCredits loads the credits of orders that have any.
func loadCredits(tx *db.Tx, byID map[string]*orderRow, list string, args []any) error {
	some := false
	for _, o := range byID {
		some = some || o.credited > 0 ||
			slices.ContainsFunc(o.items, func(item orderItemRow) bool { return item.restocked > 0 })
	}
	if !some {
		return nil
	}
	err := tx.Each(`
		SELECT o.id, c.id, c.position, c.quantity, c.restocked, c.amount, c.reason, c.uncollected, c.created_by, c.at
		FROM order_credits c
		JOIN orders o ON o.number = c.order_number
		WHERE o.id IN `+list+`
		ORDER BY c.order_number, c.id`, args, func(r db.Row) error {
		var id string
		var c creditRow
		err := r.Scan(&id, &c.id, &c.position, &c.quantity, &c.restocked, &c.amount,
			&c.reason, &c.uncollected, &c.by, &c.at)
		if err == nil {
			byID[id].credits = append(byID[id].credits, c)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("load credits: %w", err)
	}
	return nil
}

// creditsText returns the credits in one line, for the audit log.
func (o *orderRow) creditsText() string {
	var items []ItemUnits
	amount := int64(0)
	for _, credit := range o.credits {
		amount += credit.amount
		if credit.position > 0 {
			item := o.items[credit.position-1]
			title := joinNonEmpty(item.title, item.variantTitle)
			items = append(items, ItemUnits{item.variantID, title, credit.quantity})
		}
	}
	if len(o.credits) == 0 {
		return ""
	}
	return joinNonEmpty(describeUnits(items), fmt.Sprint(amount))
}
