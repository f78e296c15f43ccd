package shop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/plan"
)

// SetPlan sets the shop's plan for the operator; nil removes it. It limits the shop from then on: a
// shop that already uses more retains it and cannot add. Codes: validation_failed, forbidden
// (another caller).
func (s *Shop) SetPlan(ctx context.Context, caller access.Caller, p *plan.Plan) (*StaffSettings, error) {
	return s.setState(ctx, caller, access.ToSetPlan, "plan", p)
}

// RenewPlan sets the shop's plan to a later revision of it. Another plan stays as it is.
func (s *Shop) RenewPlan(ctx context.Context, p *plan.Plan) error {
	value, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode plan: %w", err)
	}
	changes := map[string]json.RawMessage{"plan": value}
	_, err = s.changeSettings(ctx, access.Operator(), access.ToSetPlan, changes, func(set StaffSettings) error {
		if set.Plan == nil || set.Plan.Name != p.Name || set.Plan.Revision >= p.Revision {
			return errOtherPlan
		}
		return nil
	})
	if errors.Is(err, errOtherPlan) {
		return nil
	}
	return err
}

// errOtherPlan means that a shop has another plan, or this revision of it.
var errOtherPlan = errors.New("the shop has another plan")

// checkOperatorsOwn checks that a caller may change the shop's plan and defaults from before to
// after. Codes: forbidden.
func checkOperatorsOwn(who access.Staff, before, after *Settings) error {
	if before.SandboxOf != after.SandboxOf {
		return fault.Errorf(fault.CodeForbidden, "Only the command tenant sandbox, or the console, makes a sandbox.")
	}
	isEqual := reflect.DeepEqual(before.Plan, after.Plan) && reflect.DeepEqual(before.Defaults, after.Defaults)
	if isEqual || isOperator(who) {
		return nil
	}
	return fault.Errorf(fault.CodeForbidden, "Only the operator of the server sets the plan of a shop, and the defaults of all.")
}

// isOperator reports whether a caller is the operator of the server, and no visitor of the shop.
func isOperator(who access.Staff) bool {
	kind := who.Actor().Kind
	return kind == access.ActorCLI || kind == access.ActorOperator && who.Permits(access.ShopClose)
}

// changeLimits checks changed limits and further domains, and makes the shop be warned of the
// changed limits of a plan. Codes: validation_failed, plan_limit.
func changeLimits(tx *db.Tx, who access.Staff, was, now *Settings) error {
	if err := checkLimits(who, was.Limits, now.Limits); err != nil {
		return err
	}
	if more := len(now.Domains) - len(was.Domains); more > 0 {
		used := func() (int64, error) { return int64(len(was.Domains)), nil }
		if err := now.Plan.CheckUse(plan.Domains, int64(more), used); err != nil {
			return err
		}
	}
	if reflect.DeepEqual(was.Plan, now.Plan) {
		return nil
	}
	return plan.ClearWarnings(tx)
}

// PlanName returns the name of the shop's plan without reading any data; "" means none, or not
// known yet.
func (s *Shop) PlanName() string {
	if set := s.settings.Load(); set != nil && set.Plan != nil {
		return set.Plan.Name
	}
	return ""
}

// ShopPlan is the shop's plan with its use in the present month.
type ShopPlan struct {
	Plan *plan.Plan      `json:"plan" doc:"null: the shop has no plan and no limits"`
	Uses []plan.LimitUse `json:"uses" nullable:"false" doc:"Of each limit that the plan has, except calls"`
	// Month is in the shop's time zone.
	Month string `json:"month" doc:"Month of the orders and text messages, such as 2026-11"`
}

// FindPlan returns the shop's plan with its use. Codes: unauthenticated, forbidden.
func (s *Shop) FindPlan(ctx context.Context, caller access.Caller) (*ShopPlan, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, s.data, caller, access.ToFindPlan, func(tx *db.Tx, _ access.Staff) (*ShopPlan, error) {
		found := &ShopPlan{Plan: set.Plan, Uses: []plan.LimitUse{}, Month: tx.Now().In(set.zone).Format("2006-01")}
		if set.Plan == nil {
			return found, nil
		}
		found.Uses, err = set.Plan.Used(tx, set.zone)
		return found, err
	})
}

// PlanPercent returns the highest part of a limit of its plan, in per cent, at which the shop was
// warned in the present month: 0, 80 or 100.
func (s *Shop) PlanPercent(ctx context.Context) (percent int, err error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return 0, err
	}
	if set.Plan == nil {
		return 0, nil
	}
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		percent, err = plan.Warned(tx, set.zone)
		return err
	})
	return percent, err
}

// WarnOfPlan warns the shop of limits of its plan that it comes close to or has reached; see
// [plan.Warn].
func (s *Shop) WarnOfPlan(ctx context.Context) (next time.Time, err error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if set.Plan == nil {
		return time.Time{}, nil
	}
	var uses []plan.LimitUse
	isDue := false
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if uses, err = set.Plan.Used(tx, set.zone); err == nil {
			isDue, err = plan.IsDue(tx, uses, set.zone)
		}
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	if !isDue {
		return time.Time{}, nil
	}
	return time.Time{}, s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		return plan.Warn(tx, uses, set.zone)
	})
}
