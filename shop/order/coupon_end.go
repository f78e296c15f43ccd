package order

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/translation"
)

// DisableCoupon deactivates a coupon. Orders that used it retain their discount.
// Codes: not_found.
func (s *Orders) DisableCoupon(ctx context.Context, caller access.Caller, code string) (*Coupon, error) {
	return s.setCouponActive(ctx, caller, access.ToDisableCoupon, code, false)
}

// EnableCoupon activates a disabled coupon again, with its uses and limits.
// Codes: not_found, validation_failed (too many automatic discounts are active).
func (s *Orders) EnableCoupon(ctx context.Context, caller access.Caller, code string) (*Coupon, error) {
	return s.setCouponActive(ctx, caller, access.ToEnableCoupon, code, true)
}

func (s *Orders) setCouponActive(
	ctx context.Context, caller access.Caller, use access.UseCase, code string, active bool,
) (*Coupon, error) {
	return access.Write(ctx, s.data, caller, use,
		func(tx *db.Tx, who access.Staff) (*Coupon, error) {
			coupon, err := requireCoupon(tx, code)
			if err != nil {
				return nil, err
			}
			if coupon.Active == active {
				return &coupon, nil
			}
			coupon.Active, coupon.UpdatedAt = active, tx.Now()
			if err := coupon.checkCount(tx); err != nil {
				return nil, err
			}
			if err := upsertCoupon(tx, coupon); err != nil {
				return nil, err
			}
			if err := outbox.Append(tx, outbox.Event{Type: outbox.CouponUpdated, Subject: coupon.ID}); err != nil {
				return nil, err
			}
			return &coupon, who.Audit(tx, coupon.subject(), access.Changed("active", !active, active)...)
		})
}

// DeleteCoupon removes a coupon that no order has used and that check accepts; nil accepts any.
// Codes: not_found, state_conflict (orders have used it, even if they are closed: it can be
// disabled), and check's.
func (s *Orders) DeleteCoupon(ctx context.Context, caller access.Caller, code string, check func(*Coupon) error) error {
	return access.Do(ctx, s.data, caller, access.ToDeleteCoupon,
		func(tx *db.Tx, who access.Staff) error {
			coupon, err := requireCoupon(tx, code)
			if err != nil {
				return err
			}
			if err := access.Accept(check, &coupon); err != nil {
				return err
			}
			used, err := hasCouponOrders(tx, coupon)
			if err != nil {
				return err
			}
			if used {
				return fault.Errorf(fault.CodeStateConflict, "Orders have used %s, so it cannot be deleted: disable it instead.", coupon.label())
			}
			if err := deleteCoupon(tx, coupon.ID); err != nil {
				return err
			}
			if err := translation.Delete(tx, translation.Discount, coupon.ID); err != nil {
				return err
			}
			if err := outbox.Append(tx, outbox.Event{Type: outbox.CouponDeleted, Subject: coupon.ID}); err != nil {
				return err
			}
			return who.Audit(tx, coupon.subject())
		})
}
