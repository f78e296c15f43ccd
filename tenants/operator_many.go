package tenants

import (
	"context"
	"slices"
	"strings"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// ShopAction is what [Tenants.ChangeShops] does with each shop.
//
//api:enum ShopAction
type ShopAction string

// The actions on many shops.
const (
	SuspendShops ShopAction = "suspend" // with a reason that staff members read
	ResumeShops  ShopAction = "resume"  // ends suspensions
	AssignPlans  ShopAction = "plan"    // assigns a plan, or none
)

// maxChangedShops limits the shops of one change, so that it is complete within seconds.
const maxChangedShops = 100

// ShopsChange is the input of [Tenants.ChangeShops].
type ShopsChange struct {
	Action ShopAction `json:"action"`
	Shops  []string   `json:"shops" nullable:"false" doc:"UIDs of 1 to 100 shops"`
	Reason string     `json:"reason,omitempty" doc:"For staff members; required to suspend"`
	Text   string     `json:"text,omitempty" doc:"For buyers, while suspended; a general one if left out"`
	Plan   *string    `json:"plan,omitempty" doc:"Of the action plan, which requires the permission plans.write: the plan's name; null for none"`
	DryRun bool       `json:"dryRun,omitempty" doc:"true: changes nothing, and returns what would happen"`
}

// check checks the input, and returns the suspension of each shop.
func (in *ShopsChange) check() (shop.Suspension, error) {
	var bad fault.Invalid
	as := shop.Suspension{Reason: in.Reason, Text: in.Text}
	switch in.Action {
	case SuspendShops:
		if input.IsBlank(&in.Reason) {
			bad.Add("reason", fault.CodeRequired, "A reason is required: staff members of the shops read it.")
		}
		as.Check(&bad)
	case ResumeShops, AssignPlans:
	default:
		bad.Add("action", fault.CodeInvalidValue, "Must be suspend, resume or plan.")
	}
	if n := len(in.Shops); n < 1 || n > maxChangedShops {
		bad.Add("shops", fault.CodeInvalidValue, "Choose shops, at most %d.", maxChangedShops)
	}
	return as, bad.Err()
}

// logged returns what the log of the installation has of the change.
func (in *ShopsChange) logged(as shop.Suspension) access.Change {
	if in.Action == AssignPlans {
		return access.Set("plan", in.Plan)
	}
	return access.Set("reason", as.Reason)
}

// ShopResult is what a change of many shops did with one of them.
type ShopResult struct {
	UID     string      `json:"uid"`
	Name    string      `json:"name" doc:"Empty if there is no such shop"`
	OK      bool        `json:"ok"`
	Changed bool        `json:"changed" doc:"false: the shop already was as requested, or the change failed"`
	Code    *fault.Code `json:"code" doc:"null if ok"`
	Message *string     `json:"message" doc:"null if ok"`
}

// ChangedShops are the results of [Tenants.ChangeShops], in the order of the request.
type ChangedShops struct {
	Results []ShopResult `json:"results" nullable:"false"`
}

// ChangeShops suspends or resumes many shops, or assigns them a plan, each as
// [Tenants.SuspendShop], [Tenants.ResumeShop] and [Tenants.AssignPlan] do. It continues although
// the caller has gone, and one shop's error does not end it. After a crash each shop is changed or
// not, and a repetition changes the others. Codes: validation_failed, unauthenticated, forbidden,
// proof_required.
func (t *Tenants) ChangeShops(ctx context.Context, caller access.Caller, in ShopsChange) (*ChangedShops, error) {
	if err := t.permit(ctx, caller, access.ToChangeShops); err != nil {
		return nil, err
	}
	as, err := in.check()
	if err != nil {
		return nil, err
	}
	if in.Action == AssignPlans {
		if err := t.permit(ctx, caller, access.ToAssignPlan); err != nil {
			return nil, err
		}
		if _, err := t.findPlan(ctx, in.Plan); err != nil {
			return nil, err
		}
	}
	if !in.DryRun {
		uids := slices.Compact(slices.Sorted(slices.Values(in.Shops)))
		_, err := t.act(ctx, caller, access.ToChangeShops, "", string(in.Action),
			access.Set("shops", strings.Join(uids, " ")), in.logged(as))
		if err != nil {
			return nil, err
		}
		ctx = context.WithoutCancel(ctx)
	}
	done := &ChangedShops{Results: make([]ShopResult, 0, len(in.Shops))}
	seen := map[string]bool{}
	for _, uid := range in.Shops {
		if seen[uid] {
			continue
		}
		seen[uid] = true
		result := ShopResult{UID: uid, OK: true}
		if err := t.changeOne(ctx, caller, &result, in, as); err != nil {
			e := shop.AsError(err)
			result.OK, result.Changed, result.Code, result.Message = false, false, &e.Code, &e.Message
		}
		done.Results = append(done.Results, result)
	}
	return done, nil
}

// changeOne changes one shop, unless it is as requested.
func (t *Tenants) changeOne(
	ctx context.Context, caller access.Caller, result *ShopResult, in ShopsChange, as shop.Suspension,
) error {
	s, err := t.FindIncludingSuspended(ctx, result.UID)
	if err != nil {
		return err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return err
	}
	result.Name = set.Name
	now := set.Suspension
	switch in.Action {
	case ResumeShops:
		result.Changed = now != nil
	case AssignPlans:
		result.Changed = (set.Plan == nil) != (in.Plan == nil) || set.Plan != nil && set.Plan.Name != *in.Plan
	default:
		result.Changed = now == nil || now.Reason != as.Reason || now.Text != as.Text
	}
	switch {
	case !result.Changed || in.DryRun:
		return nil
	case in.Action == ResumeShops:
		return t.ResumeShop(ctx, caller, result.UID)
	case in.Action == AssignPlans:
		return t.AssignPlan(ctx, caller, result.UID, in.Plan)
	}
	return t.SuspendShop(ctx, caller, result.UID, SuspendInput{Reason: in.Reason, Text: in.Text})
}
