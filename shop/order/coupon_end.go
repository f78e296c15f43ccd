package order

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// DisableCoupon deactivates a coupon. Orders that used it retain their discount.
// Codes: not_found.
func (s *Orders) DisableCoupon(ctx context.Context, caller access.Caller, code string) (*Coupon, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToDisableCoupon)
	if err != nil {
		return nil, err
	}
	return s.setCouponActive(ctx, who, code, false)
}

// EnableCoupon activates a disabled coupon again, with its uses and limits.
// Codes: not_found.
func (s *Orders) EnableCoupon(ctx context.Context, caller access.Caller, code string) (*Coupon, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToEnableCoupon)
	if err != nil {
		return nil, err
	}
	return s.setCouponActive(ctx, who, code, true)
}

func (s *Orders) setCouponActive(ctx context.Context, who access.Staff, code string, active bool) (*Coupon, error) {
	var coupon Coupon
	err := s.data.UpdateAs(ctx, who, func(ctx context.Context, tx *db.Tx) (err error) {
		if coupon, err = requireCoupon(tx, code); err != nil {
			return err
		}
		if coupon.Active == active {
			return nil
		}
		coupon.Active, coupon.UpdatedAt = active, tx.Now()
		if err := upsertCoupon(tx, coupon); err != nil {
			return err
		}
		if err := outbox.Append(tx, outbox.Event{Type: outbox.CouponUpdated, Subject: coupon.ID}); err != nil {
			return err
		}
		return who.Audit(tx, coupon.subject(), access.Changed("active", !active, active)...)
	})
	if err != nil {
		return nil, err
	}
	return &coupon, nil
}

// DeleteCoupon removes a coupon that no order has used. Codes: not_found, state_conflict
// (orders have used it, even if they are closed: it can be disabled).
func (s *Orders) DeleteCoupon(ctx context.Context, caller access.Caller, code string) error {
	return s.DeleteCouponIf(ctx, caller, code, nil)
}

// DeleteCouponIf is [Orders.DeleteCoupon] on condition that check accepts the coupon; nil accepts
// any. Codes: as for DeleteCoupon, and check's.
func (s *Orders) DeleteCouponIf(ctx context.Context, caller access.Caller, code string, check func(*Coupon) error) error {
	who, err := s.data.Authorize(ctx, caller, access.ToDeleteCoupon)
	if err != nil {
		return err
	}
	return s.data.UpdateAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		coupon, err := requireCoupon(tx, code)
		if err != nil {
			return err
		}
		if err := access.Accept(check, &coupon); err != nil {
			return err
		}
		used, err := hasCouponOrders(tx, coupon.ID)
		if err != nil {
			return err
		}
		if used {
			return fault.Errorf(fault.CodeStateConflict, "Orders have used the coupon %s, so it cannot be deleted: disable it instead.", coupon.Code)
		}
		if err := deleteCoupon(tx, coupon.ID); err != nil {
			return err
		}
		if err := outbox.Append(tx, outbox.Event{Type: outbox.CouponDeleted, Subject: coupon.ID}); err != nil {
			return err
		}
		return who.Audit(tx, coupon.subject())
	})
}
