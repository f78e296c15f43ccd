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
	return access.Read(ctx, s.data, caller, access.ToFindCoupon,
		func(tx *db.Tx, _ access.Staff) (*Coupon, error) {
			coupon, err := requireCoupon(tx, code)
			return &coupon, err
		})
}

// CouponFilter selects coupons. The zero value is the first page of all.
type CouponFilter struct {
	page.Request
	Search    string              `query:"search" doc:"The beginning of a code, in any case"`
	Active    page.Optional[bool] `query:"active" doc:"Only active coupons, or only disabled ones"`
	Automatic page.Optional[bool] `query:"automatic" doc:"Only automatic discounts, or only coupons with a code"`
}

// ListCoupons returns one page of the automatic discounts, in the order in which they were created,
// and of the coupons, ordered by code. Codes: validation_failed, unauthenticated, forbidden.
func (s *Orders) ListCoupons(ctx context.Context, caller access.Caller, filter CouponFilter) (*page.List[Coupon], error) {
	return access.ReadMany(ctx, s.data, caller, access.ToListCoupons,
		func(tx *db.Tx, _ access.Staff) (*page.List[Coupon], error) {
			var bad fault.Invalid
			w := filter.Window(&bad)
			if err := bad.Err(); err != nil {
				return nil, err
			}
			count, err := filter.count(tx)
			if err != nil {
				return nil, err
			}
			rows, err := filter.find(tx, w)
			if err != nil {
				return nil, err
			}
			list := &page.List[Coupon]{Nodes: make([]Coupon, len(rows)), Meta: w.ListMetaFor(count, len(rows))}
			for i, row := range rows {
				if list.Nodes[i], err = findCouponWhole(tx, row); err != nil {
					return nil, err
				}
			}
			return list, nil
		})
}
