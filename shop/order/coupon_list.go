package order

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// FindCoupon returns the coupon with this code, in any case. Codes: not_found, unauthenticated,
// forbidden.
func (s *Orders) FindCoupon(ctx context.Context, caller access.Caller, code string) (*Coupon, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToFindCoupon)
	if err != nil {
		return nil, err
	}
	var coupon Coupon
	err = s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		coupon, err = requireCoupon(tx, code)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &coupon, nil
}

// CouponFilter selects coupons. The zero value is the first page of all.
type CouponFilter struct {
	page.Request
	Search string              `query:"search" doc:"The beginning of a code, in any case"`
	Active page.Optional[bool] `query:"active" doc:"Only active coupons, or only disabled ones"`
}

// ListCoupons returns one page of the coupons, ordered by code. Codes: validation_failed,
// unauthenticated, forbidden.
func (s *Orders) ListCoupons(ctx context.Context, caller access.Caller, filter CouponFilter) (*page.List[Coupon], error) {
	who, err := s.data.Authorize(ctx, caller, access.ToListCoupons)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := filter.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	list := &page.List[Coupon]{}
	err = s.data.ViewManyAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		count, err := filter.count(tx)
		if err != nil {
			return err
		}
		rows, err := filter.find(tx, w)
		if err != nil {
			return err
		}
		list.Nodes, list.Meta = make([]Coupon, len(rows)), w.ListMetaFor(count, len(rows))
		for i, row := range rows {
			if list.Nodes[i], err = findCouponWhole(tx, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}
