package order

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/outbox"
)

// CouponKind is the kind of discount that a coupon grants.
//
//api:enum CouponKind
type CouponKind string

// The kinds of coupon.
const (
	CouponPercentage   CouponKind = "percentage"    // a percentage of the items
	CouponFixed        CouponKind = "fixed"         // a fixed amount
	CouponFreeDelivery CouponKind = "free_delivery" // the delivery charge
	CouponBuyGet       CouponKind = "buy_get"       // less for some units beside others; only without a code
)

// Limits of automatic discounts.
const (
	MaxDiscountTitle   = 60  // characters
	maxActiveDiscounts = 50  // of a shop
	maxSetQuantity     = 100 // units to buy, or to get, of a buy_get discount
)

// wholeBasisPoints is 100 %.
const wholeBasisPoints = 10_000

// Coupon is a discount code with its rules and its number of uses. An automatic discount has a
// title instead of a code. Amounts are in minor units.
type Coupon struct {
	ID   string `json:"_id"`
	Used int    `json:"used" doc:"Number of orders with the coupon, except cancelled and expired ones"`
	// The following two concern the same orders.
	LastUsedAt    *time.Time `json:"lastUsedAt" doc:"Time of the newest order that used counts; null if there is none"`
	DiscountGiven int64      `json:"discountGiven" doc:"Sum of the coupon's discounts on the orders that used counts; free delivery is no discount"`
	// Collections and Products are the handles of CollectionIDs and ProductIDs, in their order.
	Collections []string `json:"collections" nullable:"false" doc:"Handles of collectionIds"`
	Products    []string `json:"products" nullable:"false" doc:"Handles of productIds"`
	// Scoped reports that the coupon applies only to its products and collections, and to no product
	// once these are deleted.
	Scoped bool `json:"scoped"`
	// GetCollections, GetProducts and GotScoped are the same of the units to get.
	GetCollections []string `json:"getCollections" nullable:"false" doc:"Handles of getCollectionIds"`
	GetProducts    []string `json:"getProducts" nullable:"false" doc:"Handles of getProductIds"`
	GotScoped      bool     `json:"getScoped"`
	CouponSpec
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// CouponSpec is the part of a coupon that staff members set. Amounts are in minor units. The
// collections and products of a new spec can also be named by handle; they are stored by ID.
type CouponSpec struct {
	Code          string     `json:"code"`  // compared ignoring case; "" means an automatic discount
	Title         string     `json:"title"` // of an automatic discount, for buyers; "" with a code
	Kind          CouponKind `json:"kind"`
	BasisPoints   *int64     `json:"basisPoints"`                    // percentage, and off the units to get: 1000 is 10 %
	Amount        *int64     `json:"amount"`                         // fixed only
	MaxDiscount   *int64     `json:"maxDiscount"`                    // percentage only; null means unlimited
	MinSubtotal   *int64     `json:"minSubtotal"`                    // of the whole order, before discount; null means none
	StartsAt      *time.Time `json:"startsAt"`                       // null means immediately
	EndsAt        *time.Time `json:"endsAt"`                         // exclusive; null means never
	UsageLimit    *int64     `json:"usageLimit"`                     // of all orders; null means unlimited
	CustomerLimit *int64     `json:"customerLimit"`                  // of the orders of one account or phone; null means unlimited
	CollectionIDs []string   `json:"collectionIds" nullable:"false"` // the coupon applies to all products if ProductIDs is empty too
	ProductIDs    []string   `json:"productIds" nullable:"false"`
	RequiresLogin bool       `json:"requiresLogin"`
	Active        bool       `json:"active"`
	BuyQuantity   *int64     `json:"buyQuantity"` // buy_get only: units at their price in each set
	GetQuantity   *int64     `json:"getQuantity"` // buy_get only: units for less in each set, the cheapest of the order
	// buy_get only: the units to get. If both are empty, they are of the units to buy.
	GetCollectionIDs []string `json:"getCollectionIds" nullable:"false"`
	GetProductIDs    []string `json:"getProductIds" nullable:"false"`
}

func (spec CouponSpec) isAutomatic() bool { return spec.Code == "" }

// label returns the code, or the title of an automatic discount.
func (spec CouponSpec) label() string { return cmp.Or(spec.Code, spec.Title) }

// SaveCoupon creates the coupon with spec's code, or replaces its rules and retains its uses. An
// unchanged coupon is not written. Without a code it creates an automatic discount. Codes:
// validation_failed.
func (s *Orders) SaveCoupon(ctx context.Context, caller access.Caller, spec CouponSpec) (*Coupon, error) {
	return s.SaveCouponIf(ctx, caller, spec, nil)
}

// SaveCouponIf is [Orders.SaveCoupon] on condition that check accepts the coupon before the change,
// nil for a new one; a nil check accepts any. Codes: as for SaveCoupon, and check's.
func (s *Orders) SaveCouponIf(ctx context.Context, caller access.Caller, spec CouponSpec, check func(*Coupon) error) (*Coupon, error) {
	return access.Write(ctx, s.data, caller, access.ToSaveCoupon,
		func(tx *db.Tx, who access.Staff) (*Coupon, error) {
			spec := spec.normalize()
			if err := spec.check(); err != nil {
				return nil, err
			}
			return s.saveCoupon(tx, who, spec, check)
		})
}

func (s *Orders) saveCoupon(tx *db.Tx, who access.Staff, spec CouponSpec, check func(*Coupon) error) (*Coupon, error) {
	spec, err := spec.resolve(tx)
	if err != nil {
		return nil, err
	}
	now := tx.Now()
	coupon := Coupon{ID: s.ids.Next(now), CreatedAt: now}
	row, err := couponRow{}, db.ErrNotFound
	if !spec.isAutomatic() {
		row, err = findCoupon(tx, couponKey(spec.Code))
	}
	switch {
	case err == nil:
		if coupon, err = findCouponWhole(tx, row); err != nil {
			return nil, err
		}
		if err := access.Accept(check, &coupon); err != nil {
			return nil, err
		}
		if coupon.equal(spec, spec.isScoped()) {
			return &coupon, nil
		}
	case !errors.Is(err, db.ErrNotFound):
		return nil, err
	default:
		if err := access.Accept(check, nil); err != nil {
			return nil, err
		}
	}
	happened := outbox.CouponUpdated
	if row.id == "" {
		happened = outbox.CouponCreated
	}
	return coupon.save(tx, who, spec, spec.isScoped(), happened)
}

// save replaces the rules of a coupon. Codes: validation_failed.
func (c Coupon) save(tx *db.Tx, who access.Staff, spec CouponSpec, scoped bool, happened outbox.Type) (*Coupon, error) {
	if limit := spec.UsageLimit; limit != nil && *limit < int64(c.Used) {
		var bad fault.Invalid
		bad.Add("usageLimit", fault.CodeInvalidValue, "The usage limit must be at least %d, the number of orders that already use the coupon.", c.Used)
		return nil, bad.Err()
	}
	before := c.CouponSpec
	c.CouponSpec, c.Scoped, c.UpdatedAt = spec, scoped, tx.Now()
	c.GotScoped = spec.isGotScoped() || c.GotScoped && !before.isGotScoped() && spec.Kind == CouponBuyGet
	if err := c.checkCount(tx); err != nil {
		return nil, err
	}
	if err := upsertCoupon(tx, c); err != nil {
		return nil, err
	}
	if err := replaceScopes(tx, c); err != nil {
		return nil, err
	}
	if err := c.findScopes(tx); err != nil {
		return nil, err
	}
	if err := outbox.Append(tx, outbox.Event{Type: happened, Subject: c.ID}); err != nil {
		return nil, err
	}
	if happened == outbox.CouponCreated {
		empty := CouponSpec{CollectionIDs: []string{}, ProductIDs: []string{}, GetCollectionIDs: []string{}, GetProductIDs: []string{}}
		return &c, who.Audit(tx, c.subject(), access.New(spec.changes(empty))...)
	}
	return &c, who.Audit(tx, c.subject(), spec.changes(before)...)
}

// normalize returns the stored form of spec, except for its lists: clean texts, times in whole
// milliseconds.
func (spec CouponSpec) normalize() CouponSpec {
	spec.Code, spec.Title = cleanCode(spec.Code), input.CleanLine(spec.Title)
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
	spec.checkName(&bad)
	if !spec.isKind() {
		bad.Add("kind", fault.CodeInvalidValue, "The kind must be %s, %s or %s, or %s without a code.",
			CouponPercentage, CouponFixed, CouponFreeDelivery, CouponBuyGet)
		return bad.Err()
	}
	spec.checkShare(&bad)
	spec.checkPositive(&bad, "amount", spec.Amount, spec.Kind == CouponFixed, spec.Kind == CouponFixed)
	spec.checkPositive(&bad, "maxDiscount", spec.MaxDiscount, false, spec.Kind == CouponPercentage)
	spec.checkPositive(&bad, "minSubtotal", spec.MinSubtotal, false, true)
	spec.checkPositive(&bad, "usageLimit", spec.UsageLimit, false, true)
	spec.checkPositive(&bad, "customerLimit", spec.CustomerLimit, false, true)
	spec.checkSets(&bad)
	if spec.StartsAt != nil && spec.EndsAt != nil && !spec.StartsAt.Before(*spec.EndsAt) {
		bad.Add("endsAt", fault.CodeInvalidValue, "The end must be after the start.")
	}
	return bad.Err()
}

// checkName checks that a coupon has a code, and an automatic discount a title.
func (spec CouponSpec) checkName(bad *fault.Invalid) {
	input.CheckText(bad, "code", spec.Code, MaxCouponCode)
	input.CheckText(bad, "title", spec.Title, MaxDiscountTitle)
	switch {
	case spec.Code == "" && spec.Title == "":
		bad.Add("code", fault.CodeRequired, "A coupon code is required, or the title of an automatic discount.")
	case spec.Code != "" && spec.Title != "":
		bad.Add("title", fault.CodeInvalidValue, "A coupon with a code must not have a title.")
	}
}

func (spec CouponSpec) isKind() bool {
	switch spec.Kind {
	case CouponPercentage, CouponFixed, CouponFreeDelivery:
		return true
	case CouponBuyGet:
		return spec.isAutomatic()
	}
	return false
}

// checkPositive checks a number that coupons of some kinds have.
func (spec CouponSpec) checkPositive(bad *fault.Invalid, field string, value *int64, required, allowed bool) {
	switch {
	case value == nil && required:
		bad.Add(field, fault.CodeRequired, "A coupon of kind %s requires %s.", spec.Kind, field)
	case value != nil && !allowed:
		bad.Add(field, fault.CodeInvalidValue, "A coupon of kind %s must not have %s.", spec.Kind, field)
	case value != nil && (*value < 1 || *value > money.MaxAmount):
		bad.Add(field, fault.CodeInvalidValue, "The coupon's %s must be 1 to %d.", field, int64(money.MaxAmount))
	}
}

// checkShare checks the percentage.
func (spec CouponSpec) checkShare(bad *fault.Invalid) {
	hasShare := spec.Kind == CouponPercentage || spec.Kind == CouponBuyGet
	spec.checkPositive(bad, "basisPoints", spec.BasisPoints, hasShare, hasShare)
	if hasShare && spec.BasisPoints != nil && *spec.BasisPoints > wholeBasisPoints {
		bad.Add("basisPoints", fault.CodeInvalidValue, "The percentage must be at most %d basis points, which is 100 %%.", wholeBasisPoints)
	}
}

// checkSets checks the quantities and the scope of buy_get.
func (spec CouponSpec) checkSets(bad *fault.Invalid) {
	hasSets := spec.Kind == CouponBuyGet
	for _, units := range []struct {
		field string
		value *int64
	}{{"buyQuantity", spec.BuyQuantity}, {"getQuantity", spec.GetQuantity}} {
		spec.checkPositive(bad, units.field, units.value, hasSets, hasSets)
		if units.value != nil && *units.value > maxSetQuantity {
			bad.Add(units.field, fault.CodeInvalidValue, "Must be at most %d.", maxSetQuantity)
		}
	}
	if !hasSets && spec.isGotScoped() {
		bad.Add("getProductIds", fault.CodeInvalidValue, "A coupon of kind %s must not have units to get.", spec.Kind)
	}
}

// equal reports whether the coupon has these rules already.
func (c *Coupon) equal(spec CouponSpec, scoped bool) bool {
	return c.Code == spec.Code && c.Title == spec.Title && c.Kind == spec.Kind && c.Active == spec.Active && c.RequiresLogin == spec.RequiresLogin &&
		c.Scoped == scoped && slices.Equal(c.CollectionIDs, spec.CollectionIDs) && slices.Equal(c.ProductIDs, spec.ProductIDs) &&
		slices.Equal(c.GetCollectionIDs, spec.GetCollectionIDs) && slices.Equal(c.GetProductIDs, spec.GetProductIDs) &&
		slices.EqualFunc(c.amounts(), spec.amounts(), equalOrNil) &&
		equalTimes(c.StartsAt, spec.StartsAt) && equalTimes(c.EndsAt, spec.EndsAt)
}

// amounts returns the amounts and the limits.
func (spec CouponSpec) amounts() []*int64 {
	return []*int64{
		spec.BasisPoints, spec.Amount, spec.MaxDiscount, spec.MinSubtotal, spec.UsageLimit, spec.CustomerLimit,
		spec.BuyQuantity, spec.GetQuantity,
	}
}

// equalOrNil reports whether two values are equal, or both nil.
func equalOrNil(a, b *int64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// equalTimes reports whether two times are equal, or both nil.
func equalTimes(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

func (spec CouponSpec) isScoped() bool { return len(spec.CollectionIDs)+len(spec.ProductIDs) > 0 }

func (spec CouponSpec) isGotScoped() bool {
	return len(spec.GetCollectionIDs)+len(spec.GetProductIDs) > 0
}

// checkCount checks that at most maxActiveDiscounts automatic discounts are active, since each
// order is compared with all of them. Codes: validation_failed.
func (c *Coupon) checkCount(tx *db.Tx) error {
	if !c.isAutomatic() || !c.Active {
		return nil
	}
	others, err := countActiveDiscounts(tx, c.ID)
	if err != nil {
		return err
	}
	if others < maxActiveDiscounts {
		return nil
	}
	var bad fault.Invalid
	bad.Add("active", fault.CodeInvalidValue, "At most %d automatic discounts can be active: disable another one first.", maxActiveDiscounts)
	return bad.Err()
}

// requireCoupon returns the coupon with this code, in any case, or ID. Codes: not_found.
func requireCoupon(tx *db.Tx, code string) (Coupon, error) {
	row, err := findCouponBy(tx, code)
	if errors.Is(err, db.ErrNotFound) {
		return Coupon{}, fault.Errorf(fault.CodeNotFound, "No coupon has this code.")
	}
	if err != nil {
		return Coupon{}, err
	}
	return findCouponWhole(tx, row)
}

// findCouponBy returns the coupon with this code or ID. The error is db.ErrNotFound if there is
// none.
func findCouponBy(tx *db.Tx, code string) (couponRow, error) {
	row, err := findCoupon(tx, couponKey(cleanCode(code)))
	if errors.Is(err, db.ErrNotFound) {
		row, err = findCouponByID(tx, code)
	}
	return row, err
}

// cleanCode returns the stored form of a code.
func cleanCode(code string) string {
	return strings.Join(strings.Fields(input.DropInvisible(input.Clean(code))), " ")
}

// resolve returns the stored form of spec's lists: IDs in ascending order, each once. Codes:
// validation_failed (no collection or product has this ID or handle).
func (spec CouponSpec) resolve(tx *db.Tx) (CouponSpec, error) {
	var bad fault.Invalid
	for _, scope := range []struct {
		field, table, thing string
		list                *[]string
	}{
		{"collectionIds", "collections", "collection", &spec.CollectionIDs},
		{"productIds", "products", "product", &spec.ProductIDs},
		{"getCollectionIds", "collections", "collection", &spec.GetCollectionIDs},
		{"getProductIds", "products", "product", &spec.GetProductIDs},
	} {
		ids := make([]string, 0, len(*scope.list))
		for i, name := range *scope.list {
			id, err := findScope(tx, scope.table, input.Clean(name), input.CleanHandle(name))
			switch {
			case errors.Is(err, db.ErrNotFound):
				bad.Add(fmt.Sprintf("%s[%d]", scope.field, i), fault.CodeInvalidValue, "No %s has the ID or handle %s.", scope.thing, name)
			case err != nil:
				return spec, err
			}
			ids = append(ids, id)
		}
		slices.Sort(ids)
		*scope.list = slices.Compact(ids)
	}
	return spec, bad.Err()
}

// replaceScopes replaces the products and collections that the coupon applies to.
func replaceScopes(tx *db.Tx, coupon Coupon) error {
	return errors.Join(
		deleteScopes(tx, coupon.ID),
		insertScopes(tx, coupon.ID, "product_id", false, coupon.ProductIDs),
		insertScopes(tx, coupon.ID, "collection_id", false, coupon.CollectionIDs),
		insertScopes(tx, coupon.ID, "product_id", true, coupon.GetProductIDs),
		insertScopes(tx, coupon.ID, "collection_id", true, coupon.GetCollectionIDs),
	)
}

// subject returns the coupon as in the audit log.
func (c *Coupon) subject() access.Subject {
	return access.Subject{Kind: access.SubjectCoupon, ID: c.ID, Label: c.label()}
}

// changes returns the differences to the coupon's earlier rules, for the audit log.
func (spec CouponSpec) changes(before CouponSpec) (changes []access.Change) {
	old, now := rawFields(before), rawFields(spec)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if !bytes.Equal(old[name], now[name]) {
			changes = append(changes, access.Change{Field: name, Before: old[name], After: now[name]})
		}
	}
	return changes
}

// rawFields returns the fields of a value that is encoded as an object.
func rawFields(value any) (fields map[string]json.RawMessage) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil {
		panic(err) // plain fields cannot fail
	}
	return fields
}
