package tenants

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/plan"
)

// ServerPlan is a plan of the server.
type ServerPlan struct {
	plan.Stored
	Shops int `json:"shops" doc:"Shops with the plan"`
}

// ListPlans returns the plans of the server by name. Codes: unauthenticated, forbidden.
func (t *Tenants) ListPlans(ctx context.Context, caller access.Caller) ([]ServerPlan, error) {
	s, err := t.Installation(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := s.Plans.List(ctx, caller)
	if err != nil {
		return nil, err
	}
	_, shops, err := t.indexedShops(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]ServerPlan, len(stored))
	for i := range stored {
		list[i] = ServerPlan{stored[i], countPlan(shops, stored[i].Name)}
	}
	return list, nil
}

func countPlan(shops map[db.ID]indexedShop, name string) (count int) {
	for _, entry := range shops {
		if entry.Plan == name {
			count++
		}
	}
	return count
}

// SavePlan creates a plan, or replaces the one with its name. The background work of the server
// sets the new limits in its shops; see [Tenants.PushCopies]. Codes: validation_failed,
// unauthenticated, forbidden, proof_required.
func (t *Tenants) SavePlan(ctx context.Context, caller access.Caller, in plan.Plan) (*ServerPlan, error) {
	s, err := t.Installation(ctx)
	if err != nil {
		return nil, err
	}
	saved, err := s.Plans.Save(ctx, caller, in)
	if err != nil {
		return nil, err
	}
	_, shops, err := t.indexedShops(ctx)
	return &ServerPlan{*saved, countPlan(shops, saved.Name)}, err
}

// RemovePlan deletes a plan that no shop has. Codes: not_found, in_use, unauthenticated, forbidden,
// proof_required.
func (t *Tenants) RemovePlan(ctx context.Context, caller access.Caller, name string) error {
	if err := t.permit(ctx, caller, access.ToRemovePlan); err != nil {
		return err
	}
	_, shops, err := t.indexedShops(ctx)
	if err != nil {
		return err
	}
	if n := countPlan(shops, name); n > 0 {
		return &fault.Error{
			Code: fault.CodeInUse, Message: fmt.Sprintf("Shops with this plan: %d. Assign them another plan first.", n),
			Details: map[string]any{"usedBy": n},
		}
	}
	s, err := t.Installation(ctx)
	if err != nil {
		return err
	}
	return s.Plans.Remove(ctx, caller, name)
}

// findPlan returns the plan of the server with a name; nil if name is nil. Codes:
// validation_failed.
func (t *Tenants) findPlan(ctx context.Context, name *string) (*plan.Plan, error) {
	if name == nil {
		return nil, nil
	}
	s, err := t.Installation(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.Plans.All(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(s plan.Stored) bool { return s.Name == *name })
	if i < 0 {
		var bad fault.Invalid
		bad.Add("plan", fault.CodeInvalidValue, "There is no such plan.")
		return nil, bad.Err()
	}
	return &list[i].Plan, nil
}

// PlanSetting returns the setting of a new shop with a plan. Codes: validation_failed, not_found
// (the server has no plans).
func (t *Tenants) PlanSetting(ctx context.Context, name string) (json.RawMessage, error) {
	p, err := t.findPlan(ctx, &name)
	if err != nil {
		return nil, err
	}
	setting, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode plan: %w", err)
	}
	return setting, nil
}

// AssignPlan sets the plan of a shop to one of the server; nil removes the shop's plan. Codes:
// tenant_not_found, validation_failed, unauthenticated, forbidden, proof_required.
func (t *Tenants) AssignPlan(ctx context.Context, caller access.Caller, uid string, name *string) error {
	if err := t.permit(ctx, caller, access.ToAssignPlan); err != nil {
		return err
	}
	if _, err := t.findPlan(ctx, name); err != nil {
		return err
	}
	s, by, err := t.actOn(ctx, caller, access.ToAssignPlan, uid, access.Set("plan", name))
	if err != nil {
		return err
	}
	defer t.overview.expire()
	var done *plan.Plan
	for {
		p, err := t.findPlan(ctx, name)
		if err != nil { // removed in the meantime
			_, undone := s.SetPlan(ctx, by.Caller(), nil)
			if undone != nil {
				return undone
			}
			return err
		}
		if p == nil || done != nil && done.Revision == p.Revision {
			if p == nil {
				_, err = s.SetPlan(ctx, by.Caller(), nil)
			}
			return err
		}
		if _, err := s.SetPlan(ctx, by.Caller(), p); err != nil {
			return err
		}
		done = p // and compare again: the plan may have changed in the meantime
	}
}

// PushCopies sets in each shop what it has a copy of: the present limits of its plan, and the
// defaults of the installation. It opens only the shops that have others. After a crash it
// continues with those that are left. progress is called with the number of shops that are done.
func (t *Tenants) PushCopies(ctx context.Context, progress func(done, total int)) error {
	s, err := t.Installation(ctx)
	if fault.HasCode(err, fault.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defaults, err := s.DefaultsForShops(ctx)
	for err == nil {
		if err = t.pushCopies(ctx, s, defaults, progress); err != nil {
			return err
		}
		// Another push may have set later defaults in a shop before this one set its own there.
		pushed := defaults.Hash()
		if defaults, err = s.DefaultsForShops(ctx); err == nil && defaults.Hash() == pushed {
			return nil
		}
	}
	return err
}

// pushCopies is [Tenants.PushCopies] with these defaults.
func (t *Tenants) pushCopies(ctx context.Context, s *shop.Shop, defaults *shop.Defaults, progress func(done, total int)) error {
	stored, err := s.Plans.All(ctx)
	if err != nil {
		return err
	}
	plans := make(map[string]*plan.Plan, len(stored))
	for i := range stored {
		plans[stored[i].Name] = &stored[i].Plan
	}
	ids, shops, err := t.indexedShops(ctx)
	if err != nil {
		return err
	}
	due := map[db.ID]func(*shop.Shop) error{}
	for _, id := range ids {
		if renew := renewal(ctx, shops[id], plans[shops[id].Plan], defaults.For(string(id))); renew != nil {
			due[id] = renew
		}
	}
	for i, id := range slices.Sorted(maps.Keys(due)) {
		var failed error
		t.files.Briefly(ctx, id, func(ctx context.Context) {
			var of *shop.Shop
			if of, failed = t.FindIncludingSuspended(ctx, string(id)); failed == nil {
				failed = due[id](of)
			}
		})
		if failed != nil && !fault.HasCode(failed, fault.CodeTenantNotFound) {
			err = fmt.Errorf("set plan and defaults of shop %s: %w", id, failed) // the others receive theirs
		}
		progress(i+1, len(due))
	}
	if len(due) > 0 {
		t.overview.expire()
	}
	return err
}

// renewal returns a function that sets what a shop has an earlier copy of; nil if it has none. p is
// the present plan with the name of the shop's, nil if there is none.
func renewal(ctx context.Context, entry indexedShop, p *plan.Plan, defaults *shop.Defaults) func(*shop.Shop) error {
	isLater := p != nil && p.Revision > entry.PlanRevision
	isOther := entry.Defaults != defaults.Hash()
	if !isLater && !isOther {
		return nil
	}
	return func(s *shop.Shop) error {
		if isLater {
			if err := s.RenewPlan(ctx, p); err != nil {
				return err
			}
		}
		if isOther {
			return s.RenewDefaults(ctx, defaults)
		}
		return nil
	}
}

// indexedShops returns the entries of all shops in the index, and their UIDs.
func (t *Tenants) indexedShops(ctx context.Context) ([]db.ID, map[db.ID]indexedShop, error) {
	ids, err := t.store.List(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("list shops: %w", err)
	}
	ids = slices.DeleteFunc(ids, isInstallation)
	shops, err := t.domains.list(ctx, ids)
	return ids, shops, err
}
