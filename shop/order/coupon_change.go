package order

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// CouponChange is a change of some rules of a coupon. Nil fields are unchanged; a pointer to nil
// removes the rule. Amounts are in minor units.
type CouponChange struct {
	Code          *string
	Title         *string
	Kind          *CouponKind
	BasisPoints   **int64
	Amount        **int64
	MaxDiscount   **int64
	MinSubtotal   **int64
	StartsAt      **time.Time
	EndsAt        **time.Time
	UsageLimit    **int64
	CustomerLimit **int64
	CollectionIDs []string // or handles; an empty list removes all
	ProductIDs    []string // as CollectionIDs
	RequiresLogin *bool
	Active        *bool
	BuyQuantity   **int64
	GetQuantity   **int64
	// the units to get, as CollectionIDs
	GetCollectionIDs []string
	GetProductIDs    []string
	// Check accepts the coupon before the change, or returns an error; nil accepts any.
	Check func(Coupon) error
}

// UpdateCoupon changes the rules of a coupon (code, in any case, or ID) that change sets. Nothing
// is written if it has them already. Codes: not_found, validation_failed, and change.Check's.
func (s *Orders) UpdateCoupon(ctx context.Context, caller access.Caller, code string, change CouponChange) (*Coupon, error) {
	return access.Write(ctx, s.data, caller, access.ToUpdateCoupon,
		func(tx *db.Tx, who access.Staff) (*Coupon, error) {
			before, err := requireCoupon(tx, code)
			if err != nil {
				return nil, err
			}
			if err := access.Accept(change.Check, before); err != nil {
				return nil, err
			}
			spec := change.apply(before.CouponSpec).normalize()
			if err := spec.check(); err != nil {
				return nil, err
			}
			if spec, err = spec.resolve(tx); err != nil {
				return nil, err
			}
			// All products and collections of the coupon may have been deleted.
			scoped := spec.isScoped() || before.Scoped && !before.isScoped() && (change.CollectionIDs == nil || change.ProductIDs == nil)
			if before.equal(spec, scoped) {
				return &before, nil
			}
			if err := before.checkRename(tx, spec.Code); err != nil {
				return nil, err
			}
			return before.save(tx, who, spec, scoped, outbox.CouponUpdated)
		})
}

// apply returns the rules after the change.
func (change *CouponChange) apply(spec CouponSpec) CouponSpec {
	assign(&spec.Code, change.Code)
	assign(&spec.Title, change.Title)
	assign(&spec.BuyQuantity, change.BuyQuantity)
	assign(&spec.GetQuantity, change.GetQuantity)
	assign(&spec.Kind, change.Kind)
	assign(&spec.BasisPoints, change.BasisPoints)
	assign(&spec.Amount, change.Amount)
	assign(&spec.MaxDiscount, change.MaxDiscount)
	assign(&spec.MinSubtotal, change.MinSubtotal)
	assign(&spec.StartsAt, change.StartsAt)
	assign(&spec.EndsAt, change.EndsAt)
	assign(&spec.UsageLimit, change.UsageLimit)
	assign(&spec.CustomerLimit, change.CustomerLimit)
	assign(&spec.RequiresLogin, change.RequiresLogin)
	assign(&spec.Active, change.Active)
	if change.CollectionIDs != nil {
		spec.CollectionIDs = change.CollectionIDs
	}
	if change.ProductIDs != nil {
		spec.ProductIDs = change.ProductIDs
	}
	if change.GetCollectionIDs != nil {
		spec.GetCollectionIDs = change.GetCollectionIDs
	}
	if change.GetProductIDs != nil {
		spec.GetProductIDs = change.GetProductIDs
	}
	return spec
}

// assign stores a value if there is one.
func assign[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

// checkRename checks that the coupon can have a code: one that no other has. An automatic discount
// never has one, since orders store the uses of both differently. Codes: validation_failed.
func (c *Coupon) checkRename(tx *db.Tx, code string) error {
	var bad fault.Invalid
	if couponKey(code) == couponKey(c.Code) {
		return nil
	}
	if c.isAutomatic() || code == "" {
		bad.Add("code", fault.CodeInvalidValue, "A coupon cannot become an automatic discount, nor the reverse: create another one.")
		return bad.Err()
	}
	taken, err := couponExists(tx, couponKey(code))
	if err != nil {
		return err
	}
	if taken {
		bad.Add("code", fault.CodeInvalidValue, "Another coupon has the code %s.", code)
	}
	return bad.Err()
}
