package order

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/phone"
	"storefront/shop/sequence"
	"storefront/shop/throttle"
)

// IncompleteInput is what a buyer has typed so far.
type IncompleteInput struct {
	Session          string      `json:"session" minLength:"20" maxLength:"100" doc:"A random text for the buyer's browser, which nobody guesses"`
	Consent          bool        `json:"consent" doc:"The buyer agrees to the notice of the store. false deletes what the session has stored"`
	PhoneNumber      *string     `json:"phoneNumber,omitempty" doc:"In any common notation; nothing is stored without it"`
	Name             *string     `json:"name,omitempty"`
	Address          *string     `json:"address,omitempty"`
	City             *string     `json:"city,omitempty"`
	Items            []ItemInput `json:"items" maxItems:"100" nullable:"false" doc:"Items that the shop does not sell are omitted"`
	DeliveryChargeID *string     `json:"deliveryChargeId,omitempty"`
	CouponCode       *string     `json:"couponCode,omitempty"`
	Submitted        *bool       `json:"submitted,omitempty" doc:"The order was sent, and refused or not proven"`
	LandingPage      string      `json:"-"` // its handle; "" for the checkout
}

// IncompleteReceived is the result of [Orders.SaveIncomplete], the same for every input.
type IncompleteReceived struct {
	Success bool `json:"success" doc:"Always true, whether or not anything was stored"`
}

// SaveIncomplete stores what a buyer has typed, who has agreed to the notice, and replaces the
// earlier data of the session. Without consent that is deleted. The result does not reveal whether
// anything was stored: nothing is if the shop does not want it, the number is blocked or has just
// ordered, or a limit is reached. Codes: validation_failed.
func (s *Orders) SaveIncomplete(ctx context.Context, caller access.Caller, in IncompleteInput) (*IncompleteReceived, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	session, row, err := in.check(set.Country)
	if err != nil {
		return nil, err
	}
	if !set.IncompleteOrders.Enabled && in.Consent {
		return &IncompleteReceived{Success: true}, nil
	}
	keys, err := s.cfg.Secrets.Keys(ctx)
	if err != nil {
		return nil, err
	}
	cmd := saveIncomplete{
		row: row, items: in.Items, source: throttle.NewSource(keys.Throttle), client: caller.Client, zone: set.Zone, ids: s.ids,
	}
	cmd.row.session, cmd.row.language = session, caller.Language
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		if !in.Consent {
			return deleteOpenIncomplete(tx, session)
		}
		return cmd.run(tx)
	})
	if err != nil {
		return nil, err
	}
	return &IncompleteReceived{Success: true}, nil
}

// check returns the hash of the session, and the row that was typed.
func (in *IncompleteInput) check(country string) (session string, row incompleteRow, err error) {
	var bad fault.Invalid
	if n := len([]rune(in.Session)); n < minSession || n > maxSession {
		bad.Add("session", fault.CodeInvalidValue, "Must be %d to %d characters.", minSession, maxSession)
	}
	e164, ok := phone.Parse(db.TextOf(in.PhoneNumber), country)
	if !ok && in.Consent {
		bad.Add("phoneNumber", fault.CodeInvalidValue, "Must be a phone number.")
	}
	if len(in.Items) > MaxLines {
		bad.Add("items", fault.CodeInvalidValue, "Must be at most %d items.", MaxLines)
	}
	hash := sha256.Sum256([]byte(in.Session))
	line := func(text *string, limit int) string { return input.Cut(input.CleanLine(db.TextOf(text)), limit) }
	row = incompleteRow{
		status: IncompleteOpen, step: StepContact, phone: e164, name: line(in.Name, 200), address: line(in.Address, 300), city: line(in.City, 100),
		deliveryChargeID: line(in.DeliveryChargeID, 100), coupon: line(in.CouponCode, MaxCouponCode), landing: in.LandingPage,
	}
	switch {
	case in.Submitted != nil && *in.Submitted:
		row.step = StepSubmitted
	case row.address == "": // a delivery charge may be chosen beforehand
	case row.deliveryChargeID == "":
		row.step = StepAddress
	default:
		row.step = StepDelivery
	}
	return string(hash[:16]), row, bad.Err()
}

// saveIncomplete is the command to store what a buyer has typed.
type saveIncomplete struct {
	row    incompleteRow
	items  []ItemInput
	source throttle.Source
	client string
	zone   *time.Location
	ids    *sequence.Source
}

func (cmd saveIncomplete) run(tx *db.Tx) error {
	next := cmd.row
	next.updatedAt = db.Millis(tx.Now())
	before, err := findOpenIncomplete(tx, next.session)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	refused, err := cmd.isRefused(tx, before)
	if err != nil {
		return err
	}
	if refused {
		return nil
	}
	if next.items, err = cmd.findItems(tx); err != nil {
		return err
	}
	if next.items == "" {
		return nil
	}
	if before != nil {
		next.id = before.id
		next.step = incompleteSteps[max(slices.Index(incompleteSteps, before.step), slices.Index(incompleteSteps, next.step))]
		if before.isSame(&next) {
			return nil
		}
		return updateIncomplete(tx, &next)
	}
	next.id, next.createdAt = cmd.ids.Next(tx.Now()), next.updatedAt
	next.day = tx.Now().In(cmd.zone).Format(time.DateOnly)
	if err := insertIncomplete(tx, &next); err != nil {
		return err
	}
	return countStarted(tx, next.day)
}

// isSame reports whether the buyer has typed the same.
func (r *incompleteRow) isSame(other *incompleteRow) bool {
	typed := func(r *incompleteRow) [9]string {
		return [...]string{
			r.phone, r.name, r.address, r.city, r.items, r.deliveryChargeID, r.coupon, r.landing, string(r.step) + " " + string(r.language),
		}
	}
	return typed(r) == typed(other)
}

// isRefused reports whether nothing is stored. before is the session's open row, nil if there is
// none. A new row, and one that gets another number, counts towards the limits.
func (cmd saveIncomplete) isRefused(tx *db.Tx, before *incompleteRow) (bool, error) {
	block, err := findBlock(tx, cmd.row.phone, "")
	if err != nil {
		return false, err
	}
	switch {
	case block == BlockAll:
		return true, nil
	case before != nil && before.phone == cmd.row.phone:
		return false, nil
	}
	if before == nil {
		closed, err := isIncompleteClosed(tx, cmd.row.session, cmd.row.phone, tx.Now())
		if err != nil {
			return false, err
		}
		if closed {
			return true, nil
		}
	}
	return cmd.isLimited(tx)
}

// isLimited reports whether a limit is reached, and otherwise counts the row.
func (cmd saveIncomplete) isLimited(tx *db.Tx) (bool, error) {
	ofPhone, open, err := countOpenIncomplete(tx, cmd.row.phone)
	if err != nil {
		return false, err
	}
	if ofPhone >= maxIncompletePerPhone || open >= maxIncompleteOpen {
		return true, nil
	}
	limits := []throttle.Throttle{
		cmd.source.PerClient(incompleteThrottle, cmd.client, maxIncompletePerClient),
		cmd.source.PerNetwork(incompleteThrottle, cmd.client, maxIncompletePerClient),
		throttle.New(cmd.source.Hash(incompleteThrottle), maxIncompletePerHour, time.Hour),
	}
	err = throttle.CheckAll(tx, limits)
	switch {
	case fault.HasCode(err, fault.CodeRateLimited):
		return true, nil
	case err != nil:
		return false, err
	}
	return false, throttle.CountAll(tx, limits)
}

const incompleteThrottle = "incomplete order"

// findItems returns the items that the shop sells, as they are stored; "" if there are none.
func (cmd saveIncomplete) findItems(tx *db.Tx) (string, error) {
	byVariant, byProduct, err := findLineVariants(tx, cmd.items)
	if err != nil {
		return "", err
	}
	var ignored fault.Invalid
	var items []incompleteItem
	for i, item := range cmd.items {
		line, ok := pickVariant(&ignored, i, item, byVariant, byProduct)
		if !ok || item.Quantity < 1 || item.Quantity > MaxQuantity {
			continue
		}
		items = append(items, incompleteItem{line.productID, line.variantID, line.title, line.variantTitle, item.Quantity, line.unitPrice})
	}
	if len(items) == 0 {
		return "", nil
	}
	text, err := json.Marshal(items)
	return string(text), err
}

func (r *incompleteRow) parseItems() (items []incompleteItem, err error) {
	return items, json.Unmarshal([]byte(r.items), &items)
}

// titles returns the titles of the items with their quantities.
func (r *incompleteRow) titles() ([]string, error) {
	items, err := r.parseItems()
	titles := make([]string, len(items))
	for i, item := range items {
		titles[i] = fmt.Sprintf("%s × %d", strings.TrimSpace(item.Title+" "+item.VariantTitle), item.Quantity)
	}
	return titles, err
}
