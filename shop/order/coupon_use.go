package order

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// couponUsesQuery has two halves because no single index covers both phone and account.
const couponUsesQuery = `
	SELECT COUNT(*)
	FROM (
		SELECT o.id
		FROM orders o
		WHERE o.coupon_id = ? AND o.customer_phone IN (?, ?) AND o.status NOT IN ('cancelled', 'expired') AND o.id <> ?
		UNION
		SELECT o.id
		FROM orders o
		WHERE o.customer_id = ? AND o.coupon_id = ? AND o.status NOT IN ('cancelled', 'expired') AND o.id <> ?
	) AS uses`

// discountUsesQuery is couponUsesQuery for an automatic discount.
const discountUsesQuery = `
	SELECT COUNT(*)
	FROM (
		SELECT o.id
		FROM orders o
		WHERE lower(o.discounts) LIKE ? AND o.customer_phone IN (?, ?) AND o.status NOT IN ('cancelled', 'expired') AND o.id <> ?
		UNION
		SELECT o.id
		FROM orders o
		WHERE o.customer_id = ? AND lower(o.discounts) LIKE ? AND o.status NOT IN ('cancelled', 'expired') AND o.id <> ?
	) AS uses`

// countCouponUses counts the buyer's orders, except cancelled and expired ones, that use a coupon
// with a limit per customer. They are found by the account, the phone of the order and the
// account's verified phone. The order that the cart replaces does not count.
func countCouponUses(tx *db.Tx, coupon couponRow, holder couponHolder) (times int, err error) {
	customer, phone := db.NullText(holder.account.ID()), db.NullText(holder.phone)
	verified := holder.account.VerifiedPhone()
	if coupon.customerLimit == nil || customer == nil && phone == nil && verified == nil {
		return 0, nil
	}
	replaced := ""
	if holder.replaced != nil {
		replaced = holder.replaced.id
	}
	// NULL equals nothing, so an unknown phone or account matches no order.
	query, id := couponUsesQuery, coupon.id
	if coupon.code == "" {
		query, id = discountUsesQuery, grantPattern(coupon.id)
	}
	err = tx.QueryRow(query, id, phone, verified, replaced, customer, id, replaced).Scan(&times)
	if err != nil {
		return 0, fmt.Errorf("count coupon uses: %w", err)
	}
	return times, nil
}

// couponUse is the use of a coupon, or of an automatic discount, by an order.
type couponUse struct {
	id       string // of the coupon
	discount int64  // of the order, by the coupon
}

// couponUses returns the order's uses of its coupon and of automatic discounts.
func (o *orderRow) couponUses() (uses []couponUse) {
	if o.couponID != nil {
		uses = append(uses, couponUse{*o.couponID, o.couponDiscount()})
	}
	for _, g := range o.grants() {
		uses = append(uses, couponUse{g.ID, g.goods()})
	}
	return uses
}

// reserve adds the use. ok is false if the coupon's limit is reached.
func (u couponUse) reserve(tx *db.Tx) (ok bool, err error) {
	ok, err = u.change(tx, `
		UPDATE coupons
		SET used = used + 1, discount_given = discount_given + ?
		WHERE id = ? AND (usage_limit IS NULL OR used < usage_limit)`, u.discount)
	if err != nil {
		return false, fmt.Errorf("reserve coupon use: %w", err)
	}
	return ok, nil
}

// count adds the use even if the coupon's limit is reached, and raises the limit then.
func (u couponUse) count(tx *db.Tx) error {
	if _, err := u.change(tx, `
		UPDATE coupons
		SET used = used + 1, discount_given = discount_given + ?,
			usage_limit = CASE WHEN usage_limit <= used THEN used + 1 ELSE usage_limit END
		WHERE id = ?`, u.discount); err != nil {
		return fmt.Errorf("count coupon use: %w", err)
	}
	return nil
}

// release removes the use.
func (u couponUse) release(tx *db.Tx) error {
	if _, err := u.change(tx, `
		UPDATE coupons
		SET used = used - 1, discount_given = discount_given - ?
		WHERE id = ?`, u.discount); err != nil {
		return fmt.Errorf("release coupon use: %w", err)
	}
	return nil
}

// changeDiscount replaces the discount of a remaining use.
func (u couponUse) changeDiscount(tx *db.Tx, discount int64) error {
	if u.discount == discount {
		return nil
	}
	if _, err := u.change(tx, `
		UPDATE coupons
		SET discount_given = discount_given + ?
		WHERE id = ?`, discount-u.discount); err != nil {
		return fmt.Errorf("change discount of a coupon use: %w", err)
	}
	return nil
}

// change updates the coupon's figures, which pages do not show. found is false if the statement
// found no coupon. Near the coupon's limit the pages change: they show offers while they last.
func (u couponUse) change(tx *db.Tx, update string, discount int64) (found bool, err error) {
	var left *int64
	end := tx.OnlyQuantities()
	err = tx.QueryRow(update+` RETURNING usage_limit - used`, discount, u.id).Scan(&left)
	end()
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if left == nil || *left > 1 {
		return true, nil
	}
	return true, tx.Do(`
		UPDATE coupons
		SET updated_at = updated_at
		WHERE id = ?`, u.id)
}

const lastCouponUseQuery = `
	SELECT placed_at
	FROM orders
	WHERE coupon_id = ? AND status NOT IN ('cancelled', 'expired')
	ORDER BY placed_at DESC
	LIMIT 1`

const lastDiscountUseQuery = `
	SELECT placed_at
	FROM orders
	WHERE discounts IS NOT NULL AND lower(discounts) LIKE ? AND status NOT IN ('cancelled', 'expired')
	ORDER BY placed_at DESC
	LIMIT 1`

// findLastCouponUse returns the time of the newest order that uses a coupon; nil if there is none.
func findLastCouponUse(tx *db.Tx, coupon couponRow) (*time.Time, error) {
	query, id := lastCouponUseQuery, coupon.id
	if coupon.code == "" {
		query, id = lastDiscountUseQuery, grantPattern(coupon.id)
	}
	var last int64
	err := tx.QueryRow(query, id).Scan(&last)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find last use of a coupon: %w", err)
	}
	return timeOfMillis(&last), nil
}
