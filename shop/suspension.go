package shop

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// A shop is closed to buyers for two reasons, each with its own state: the merchant has closed it
// ([Settings.Suspended]), or the operator of the server has suspended it ([Suspension]). In both,
// webhooks and background work on its orders continue, and staff work as usual.

// Suspension is the state of a shop that the operator has suspended.
type Suspension struct {
	Reason string    `json:"reason" doc:"For staff members; may be empty"`
	Text   string    `json:"text" doc:"For buyers; empty means a general one"`
	At     time.Time `json:"at"`
	// DeleteAt is zero for a shop that is not to be deleted.
	DeleteAt time.Time `json:"deleteAt,omitzero" doc:"When the shop will be deleted, unless an operator resumes it before; left out if it will not be"`
}

// maxSuspensionText is the length of the longest reason or text, in characters.
const maxSuspensionText = 500

// Check checks the reason and the text.
func (s *Suspension) Check(bad *fault.Invalid) {
	s.Reason = input.CheckLine(bad, "suspension.reason", s.Reason, maxSuspensionText)
	s.Text = input.CheckLine(bad, "suspension.text", s.Text, maxSuspensionText)
}

// ClosedText is the text for buyers of a closed shop without one of its own.
const ClosedText = "This shop is temporarily closed."

// IsClosed reports whether the shop is closed to buyers.
func (set *Settings) IsClosed() bool { return set.Suspended || set.Suspension != nil }

// closedText returns the text for buyers of a closed shop.
func (set *Settings) closedText() string {
	if set.Suspension != nil && set.Suspension.Text != "" {
		return set.Suspension.Text
	}
	return ClosedText
}

// CheckOpen returns an error if the shop is closed to buyers. Codes: tenant_suspended.
func (set *Settings) CheckOpen() error {
	if !set.IsClosed() {
		return nil
	}
	return &fault.Error{Code: fault.CodeTenantSuspended, Message: set.closedText()}
}

// CloseToBuyers closes the shop to buyers for the merchant.
func (s *Shop) CloseToBuyers(ctx context.Context, caller access.Caller) (*StaffSettings, error) {
	return s.setState(ctx, caller, access.ToSuspend, "suspended", true)
}

// OpenToBuyers opens a shop that the merchant has closed. Codes: forbidden (the operator has
// suspended it).
func (s *Shop) OpenToBuyers(ctx context.Context, caller access.Caller) (*StaffSettings, error) {
	return s.setState(ctx, caller, access.ToResume, "suspended", false)
}

// Suspend suspends the shop for the operator, or changes the reason and the text. Codes: forbidden
// (another caller), validation_failed.
func (s *Shop) Suspend(ctx context.Context, caller access.Caller, as Suspension) (*StaffSettings, error) {
	var bad fault.Invalid
	if as.Check(&bad); bad.Err() != nil {
		return nil, bad.Err()
	}
	as.At = s.now().UTC().Truncate(time.Second)
	return s.setState(ctx, caller, access.ToSuspend, "suspension", as)
}

// Resume ends the operator's suspension. Without one it opens a shop that the merchant has closed.
// Codes: forbidden (another caller).
func (s *Shop) Resume(ctx context.Context, caller access.Caller) (*StaffSettings, error) {
	set, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	if set.Suspension == nil {
		return s.OpenToBuyers(ctx, caller)
	}
	return s.setState(ctx, caller, access.ToResume, "suspension", nil)
}

func (s *Shop) setState(
	ctx context.Context, caller access.Caller, use access.UseCase, name string, value any,
) (*StaffSettings, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return s.changeSettings(ctx, caller, use, map[string]json.RawMessage{name: encoded}, nil)
}

// checkSuspension checks that a caller may change the shop's state from before to after. Codes:
// forbidden.
func checkSuspension(who access.Staff, before, after *Settings, opens bool) error {
	switch {
	case who.Actor().Kind == access.ActorCLI, who.Actor().Kind == access.ActorOperator && who.Permits(access.ShopClose):
		return nil
	case before.Suspension != nil && opens:
		why := "."
		if before.Suspension.Reason != "" {
			why = ": " + before.Suspension.Reason
		}
		return fault.Errorf(fault.CodeForbidden, "The operator of the server has suspended this shop%s Only the operator can open it.", why)
	case (before.Suspension == nil) != (after.Suspension == nil), before.Suspension != nil && *before.Suspension != *after.Suspension:
		return fault.Errorf(fault.CodeForbidden, "Only the operator of the server can suspend a shop. To close it, set suspended.")
	}
	return nil
}

// opensShop reports whether changes of settings open the shop to buyers.
func opensShop(changes map[string]json.RawMessage) bool {
	value, ok := changes["suspended"]
	return ok && string(value) != "true"
}
