package shop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// CouponKind is the kind of discount that a coupon grants.
type CouponKind string

// The kinds of coupon.
const (
	CouponPercentage   CouponKind = "percentage"
	CouponFixed        CouponKind = "fixed"
	CouponFreeDelivery CouponKind = "free_delivery"
)

// wholeBasisPoints is 100 %.
const wholeBasisPoints = 10_000

// Coupon is a discount code with its rules and its number of uses. Amounts are in minor units.
type Coupon struct {
	ID   string `json:"_id"`
	Used int    `json:"used"` // orders that use it, except cancelled and expired ones
	// Scoped reports that the coupon applies only to its products and collections, and to nothing once
	// those are deleted.
	Scoped bool `json:"scoped"`
	CouponSpec
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// CouponSpec is the part of a coupon that staff members set. Amounts are in minor units.
type CouponSpec struct {
	Code          string     `json:"code"` // compared ignoring case
	Kind          CouponKind `json:"kind"`
	BasisPoints   *int64     `json:"basisPoints"`   // percentage only: 1000 is 10 %
	Amount        *int64     `json:"amount"`        // fixed only
	MaxDiscount   *int64     `json:"maxDiscount"`   // percentage only; null means unlimited
	MinSubtotal   *int64     `json:"minSubtotal"`   // of the whole order, before discount; null means none
	StartsAt      *time.Time `json:"startsAt"`      // null means at once
	EndsAt        *time.Time `json:"endsAt"`        // exclusive; null means never
	UsageLimit    *int64     `json:"usageLimit"`    // of all orders; null means unlimited
	CustomerLimit *int64     `json:"customerLimit"` // of the orders of one account or phone; null means unlimited
	Collections   []string   `json:"collections"`   // handles; the coupon applies to all products if Products is empty too
	Products      []string   `json:"products"`      // handles
	RequiresLogin bool       `json:"requiresLogin"`
	Active        bool       `json:"active"`
}

// SaveCoupon creates the coupon with spec's code, or replaces its rules and leaves its uses. A coupon
// that already equals spec is not written. Codes: validation_failed.
func (s *Shop) SaveCoupon(ctx context.Context, caller access.Caller, spec CouponSpec) (*Coupon, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	spec = spec.normalize()
	if err := spec.check(); err != nil {
		return nil, err
	}
	var saved *Coupon
	err := s.update(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		saved, err = s.saveCoupon(tx, spec)
		return err
	})
	return saved, err
}

func (s *Shop) saveCoupon(tx *db.Tx, spec CouponSpec) (*Coupon, error) {
	now := tx.Now()
	coupon := Coupon{ID: s.ids.Next(now), CreatedAt: now}
	row, err := findCoupon(tx, couponKey(spec.Code))
	switch {
	case err == nil:
		if coupon, err = findCouponWhole(tx, row); err != nil {
			return nil, err
		}
		if coupon.equal(spec) {
			return &coupon, nil
		}
	case !errors.Is(err, db.ErrNotFound):
		return nil, err
	}
	if limit := spec.UsageLimit; limit != nil && *limit < int64(coupon.Used) {
		var bad fault.Invalid
		bad.Add("usageLimit", fault.CodeInvalidValue, "The usage limit must be at least %d, the number of orders that already use the coupon.", coupon.Used)
		return nil, bad.Err()
	}
	coupon.CouponSpec, coupon.Scoped, coupon.UpdatedAt = spec, spec.isScoped(), now
	if err := upsertCoupon(tx, coupon); err != nil {
		return nil, err
	}
	return &coupon, replaceScopes(tx, coupon)
}

// ListCoupons returns all coupons, ordered by code.
func (s *Shop) ListCoupons(ctx context.Context, caller access.Caller) ([]Coupon, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	var coupons []Coupon
	err := s.viewMany(ctx, func(ctx context.Context, tx *db.Tx) error {
		rows, err := findCoupons(tx)
		if err != nil {
			return err
		}
		coupons = make([]Coupon, len(rows))
		for i, row := range rows {
			if coupons[i], err = findCouponWhole(tx, row); err != nil {
				return err
			}
		}
		return nil
	})
	return coupons, err
}

// normalize returns the stored form of spec: clean texts, sorted lists, times in whole milliseconds.
func (spec CouponSpec) normalize() CouponSpec {
	spec.Code = cleanCode(spec.Code)
	handles := func(list []string) []string {
		clean := make([]string, len(list))
		for i, handle := range list {
			clean[i] = catalogue.CleanHandle(handle)
		}
		slices.Sort(clean)
		return slices.Compact(clean)
	}
	spec.Collections, spec.Products = handles(spec.Collections), handles(spec.Products)
	whole := func(t *time.Time) *time.Time {
		if t == nil {
			return nil
		}
		ms := db.FromMillis(db.Millis(*t))
		return &ms
	}
	spec.StartsAt, spec.EndsAt = whole(spec.StartsAt), whole(spec.EndsAt)
	if spec.MinSubtotal != nil && *spec.MinSubtotal == 0 {
		spec.MinSubtotal = nil
	}
	return spec
}

func (spec CouponSpec) check() error {
	var bad fault.Invalid
	input.CheckText(&bad, "code", spec.Code, MaxCouponCode)
	if spec.Code == "" {
		bad.Add("code", fault.CodeRequired, "A coupon code is required.")
	}
	checkPositive := func(field string, value *int64, required, allowed bool) {
		switch {
		case value == nil && required:
			bad.Add(field, fault.CodeRequired, "A coupon of kind %s requires %s.", spec.Kind, field)
		case value != nil && !allowed:
			bad.Add(field, fault.CodeInvalidValue, "A coupon of kind %s must not have %s.", spec.Kind, field)
		case value != nil && (*value < 1 || *value > money.MaxAmount):
			bad.Add(field, fault.CodeInvalidValue, "The coupon's %s must be 1 to %d.", field, int64(money.MaxAmount))
		}
	}
	percentage, fixed := spec.Kind == CouponPercentage, spec.Kind == CouponFixed
	if !percentage && !fixed && spec.Kind != CouponFreeDelivery {
		bad.Add("kind", fault.CodeInvalidValue, "The coupon's kind must be %s, %s or %s.", CouponPercentage, CouponFixed, CouponFreeDelivery)
		return bad.Err()
	}
	checkPositive("basisPoints", spec.BasisPoints, percentage, percentage)
	if percentage && spec.BasisPoints != nil && *spec.BasisPoints > wholeBasisPoints {
		bad.Add("basisPoints", fault.CodeInvalidValue, "The percentage must be at most %d basis points, which is 100 %%.", wholeBasisPoints)
	}
	checkPositive("amount", spec.Amount, fixed, fixed)
	checkPositive("maxDiscount", spec.MaxDiscount, false, percentage)
	checkPositive("minSubtotal", spec.MinSubtotal, false, true)
	checkPositive("usageLimit", spec.UsageLimit, false, true)
	checkPositive("customerLimit", spec.CustomerLimit, false, true)
	if spec.StartsAt != nil && spec.EndsAt != nil && !spec.StartsAt.Before(*spec.EndsAt) {
		bad.Add("endsAt", fault.CodeInvalidValue, "The end must be after the start.")
	}
	return bad.Err()
}

func (c *Coupon) equal(spec CouponSpec) bool {
	current := c.CouponSpec
	sameTime := func(a, b *time.Time) bool { return a == nil && b == nil || a != nil && b != nil && a.Equal(*b) }
	same := func(a, b *int64) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	return current.Code == spec.Code && c.Scoped == spec.isScoped() && current.Kind == spec.Kind && same(current.BasisPoints, spec.BasisPoints) &&
		same(current.Amount, spec.Amount) && same(current.MaxDiscount, spec.MaxDiscount) && same(current.MinSubtotal, spec.MinSubtotal) &&
		sameTime(current.StartsAt, spec.StartsAt) && sameTime(current.EndsAt, spec.EndsAt) &&
		same(current.UsageLimit, spec.UsageLimit) && same(current.CustomerLimit, spec.CustomerLimit) &&
		slices.Equal(current.Collections, spec.Collections) && slices.Equal(current.Products, spec.Products) &&
		current.RequiresLogin == spec.RequiresLogin && current.Active == spec.Active
}

func (spec CouponSpec) isScoped() bool { return len(spec.Collections)+len(spec.Products) > 0 }

// DisableCoupon deactivates a coupon. Orders that used it retain their discount.
// Codes: coupon_not_found.
func (s *Shop) DisableCoupon(ctx context.Context, caller access.Caller, code string) (*Coupon, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	var coupon Coupon
	err := s.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := findCoupon(tx, couponKey(cleanCode(code)))
		if errors.Is(err, db.ErrNotFound) {
			return errNoCoupon()
		}
		if err != nil {
			return err
		}
		if coupon, err = findCouponWhole(tx, row); err != nil || !coupon.Active {
			return err
		}
		coupon.Active, coupon.UpdatedAt = false, tx.Now()
		return upsertCoupon(tx, coupon)
	})
	if err != nil {
		return nil, err
	}
	return &coupon, nil
}

// cleanCode returns the stored form of a code.
func cleanCode(code string) string { return strings.Join(strings.Fields(input.Clean(code)), " ") }

// replaceScopes replaces the products and collections that the coupon applies to.
func replaceScopes(tx *db.Tx, coupon Coupon) error {
	if err := deleteScopes(tx, coupon.ID); err != nil {
		return err
	}
	var bad fault.Invalid
	for _, scope := range []struct {
		field, table, column string
		handles              []string
	}{
		{"products", "products", "product_id", coupon.Products},
		{"collections", "collections", "collection_id", coupon.Collections},
	} {
		for i, handle := range scope.handles {
			found, err := insertScope(tx, coupon.ID, scope.table, scope.column, handle)
			if err != nil {
				return err
			}
			if !found {
				bad.Add(fmt.Sprintf("%s[%d]", scope.field, i), fault.CodeInvalidValue, "No such handle: %s.", handle)
			}
		}
	}
	return bad.Err()
}
