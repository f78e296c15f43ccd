// Package plan owns the plans of a server: their limits, whether a shop is within them, and the
// plans that operators have defined.
//
// A shop has a copy of its plan among its settings, so that no request reads another shop's data.
// Packages that create limited records call [Check] in the transaction that creates one. The
// package must not know how they do it.
package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// Limit is the subject of a limit.
//
//api:enum PlanLimit
type Limit string

// The limits. Those a month are of a calendar month in the shop's time zone.
const (
	Orders         Limit = "orders"         // orders a month; always soft
	Products       Limit = "products"       // products of any status
	Staff          Limit = "staff"          // members who are not disabled, open invitations included
	ImageBytes     Limit = "imageBytes"     // bytes of the uploaded images in all sizes
	Domains        Limit = "domains"        // domains
	SMSSegments    Limit = "smsSegments"    // billed parts of text messages to buyers a month
	CallsPerSecond Limit = "callsPerSecond" // calls of the Admin API a second of one key or session; always hard
)

// AllLimits returns every limit, in the order in which they are shown.
func AllLimits() []Limit {
	return []Limit{Orders, Products, Staff, ImageBytes, Domains, SMSSegments, CallsPerSecond}
}

// CanBeSoft returns the limits that are hard unless the plan lists them as soft.
func CanBeSoft() []Limit { return []Limit{Products, Staff, ImageBytes, Domains, SMSSegments} }

// LimitSet has the limits of a plan. nil means no limit.
type LimitSet struct {
	Orders         *int64 `json:"orders,omitempty" doc:"Orders a month. Orders beyond it are received and counted"`
	Products       *int64 `json:"products,omitempty" doc:"Products of any status"`
	Staff          *int64 `json:"staff,omitempty" doc:"Members who are not disabled, open invitations included"`
	ImageBytes     *int64 `json:"imageBytes,omitempty" doc:"Bytes of the uploaded images in all sizes"`
	Domains        *int64 `json:"domains,omitempty" doc:"Domains"`
	SMSSegments    *int64 `json:"smsSegments,omitempty" doc:"Billed parts of text messages to buyers a month"`
	CallsPerSecond *int64 `json:"callsPerSecond,omitempty" doc:"Calls of the Admin API a second of one key or session"`
}

// Of returns one of the limits; nil means no limit.
func (l *LimitSet) Of(limit Limit) *int64 { return *l.field(limit) }

// Set sets one of the limits.
func (l *LimitSet) Set(limit Limit, limited int64) { *l.field(limit) = &limited }

func (l *LimitSet) field(limit Limit) **int64 {
	switch limit {
	case Orders:
		return &l.Orders
	case Products:
		return &l.Products
	case Staff:
		return &l.Staff
	case ImageBytes:
		return &l.ImageBytes
	case Domains:
		return &l.Domains
	case SMSSegments:
		return &l.SMSSegments
	}
	return &l.CallsPerSecond
}

// Plan is a plan, or the copy of one among the settings of a shop.
type Plan struct {
	Name     string   `json:"name"`
	Revision int64    `json:"revision" doc:"Increases with each change of the plan"`
	Limits   LimitSet `json:"limits"`
	Soft     []Limit  `json:"soft" nullable:"false" doc:"Limits that are reported and not enforced"`
	OwnHost  *bool    `json:"ownHost" doc:"Whether the dashboard is at the shop's own hosts, too; null means unless the server has --admin-host"`
}

// IsSoft reports whether use beyond a limit is reported instead of refused.
func (p *Plan) IsSoft(limit Limit) bool { return limit == Orders || slices.Contains(p.Soft, limit) }

const (
	maxName  = 40
	maxLimit = 1 << 50 // far above any use, and exact in JavaScript
)

// CheckName returns a plan's name without surrounding spaces.
func CheckName(bad *fault.Invalid, field, name string) string {
	name = input.CheckLine(bad, field, name, maxName)
	if input.IsBlank(&name) || strings.ContainsAny(name, "/\\?#%") || name == "." || name == ".." {
		bad.Add(field, fault.CodeInvalidValue, "Must be 1 to %d characters, without / \\ ? # and %%.", maxName)
	}
	return name
}

// Check checks the plan. path is its field, with a dot at the end, or empty.
func (p *Plan) Check(bad *fault.Invalid, path string) {
	p.Name = CheckName(bad, path+"name", p.Name)
	for _, limit := range AllLimits() {
		least := int64(0)
		if limit == Staff || limit == CallsPerSecond || limit == Orders {
			least = 1
		}
		if n := p.Limits.Of(limit); n != nil && (*n < least || *n > maxLimit) {
			bad.Add(path+"limits."+string(limit), fault.CodeInvalidValue, "Must be at least %d.", least)
		}
	}
	for i, limit := range p.Soft {
		if !slices.Contains(CanBeSoft(), limit) {
			bad.Add(fmt.Sprintf("%ssoft[%d]", path, i), fault.CodeInvalidValue,
				"Must be a limit of products, staff, images, domains or text messages. Orders are always soft, calls always hard.")
		}
	}
	if p.Soft == nil {
		p.Soft = []Limit{}
	}
	slices.Sort(p.Soft)
	p.Soft = slices.Compact(p.Soft)
}

// Find returns the plan of the shop that tx reads; nil if it has none.
func Find(tx *db.Tx) (*Plan, error) {
	var text string
	err := tx.QueryRow(`
		SELECT value
		FROM settings
		WHERE key = 'plan'`).Scan(&text)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	var p *Plan
	if err == nil {
		err = json.Unmarshal([]byte(text), &p)
	}
	if err != nil {
		return nil, fmt.Errorf("find plan: %w", err)
	}
	return p, nil
}

// Check checks that the shop is within its plan, in the transaction that adds to its use. It counts
// only if the plan has the limit and it is hard. The limit must not be one a month. Codes:
// plan_limit.
func Check(tx *db.Tx, limit Limit, adding int64) error {
	p, err := Find(tx)
	if err != nil {
		return err
	}
	if p == nil {
		return nil
	}
	return p.CheckUse(limit, adding, func() (int64, error) { return countUsed(tx, limit, time.Time{}, time.Time{}) })
}

// CheckUse is [Check] with the function that returns the present use. Codes: plan_limit.
func (p *Plan) CheckUse(limit Limit, adding int64, used func() (int64, error)) error {
	if p == nil {
		return nil
	}
	limited := p.Limits.Of(limit)
	if limited == nil || p.IsSoft(limit) {
		return nil
	}
	now, err := used()
	if err != nil {
		return err
	}
	if now+adding <= *limited {
		return nil
	}
	return &fault.Error{
		Code: fault.CodePlanLimit,
		Message: fmt.Sprintf("The shop's plan %s allows %s, and %s in use. Remove some, or contact the operator of this server for a larger plan.",
			p.Name, limit.text(*limited), limit.text(now)),
		Details: map[string]any{"plan": p.Name, "limit": limit, "used": now, "max": *limited},
	}
}

// text returns a quantity in words.
func (l Limit) text(n int64) string {
	switch l {
	case ImageBytes:
		return fmt.Sprintf("%.1f MiB of images", float64(n)/(1<<20))
	case SMSSegments:
		return fmt.Sprintf("%d parts of text messages a month", n)
	case CallsPerSecond:
		return fmt.Sprintf("%d calls a second", n)
	case Staff:
		return fmt.Sprintf("%d staff members", n)
	}
	return fmt.Sprintf("%d %s", n, l)
}
