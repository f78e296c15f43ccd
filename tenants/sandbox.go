package tenants

import (
	"context"
	"encoding/json"
	"fmt"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/plugin"
	"storefront/shop/staff"
)

// sandboxSuffix is the end of the UID of a sandbox.
const sandboxSuffix = "-sandbox"

// Sandbox is the sandbox of a shop.
type Sandbox struct {
	UID    string        `json:"uid"`
	Orders int           `json:"orders" doc:"Number of its orders, by invented buyers"`
	Key    string        `json:"key" doc:"An API key of it with every permission, shown once"`
	Owner  *staff.Member `json:"owner" doc:"The shop's first owner; null if it has none"`
	Link   *staff.Link   `json:"link" doc:"With which the owner sets a password in the sandbox"`
}

// CreateSandbox is [Tenants.MakeSandbox] for an operator. Codes: tenant_not_found, state_conflict,
// shop_exists, validation_failed, unauthenticated, forbidden, proof_required.
func (t *Tenants) CreateSandbox(ctx context.Context, caller access.Caller, uid string) (*Sandbox, error) {
	if err := t.permit(ctx, caller, access.ToCreateSandbox); err != nil {
		return nil, err
	}
	if _, err := t.findOriginal(ctx, uid); err != nil { // the log has nothing that was refused
		return nil, err
	}
	_, by, err := t.actOn(ctx, caller, access.ToCreateSandbox, uid)
	if err != nil {
		return nil, err
	}
	made, err := t.MakeSandbox(ctx, by.Caller(), uid)
	t.overview.expire()
	return made, err
}

// MakeSandbox makes the sandbox of a shop: its settings, texts, design and catalogue, with
// orders by invented buyers and an API key of its own. It stays in sandbox mode, has no domain, and
// sends nothing by the installation's gateways. It has nothing of the shop's buyers, staff, secrets
// and endpoints. An earlier sandbox is put in the trash and replaced. If that is interrupted, it is
// made completely by repeating. Codes: tenant_not_found, state_conflict (the shop is a sandbox),
// shop_exists (another shop has the UID), validation_failed (the UID is too long).
func (t *Tenants) MakeSandbox(ctx context.Context, caller access.Caller, uid string) (*Sandbox, error) {
	of, err := t.findOriginal(ctx, uid)
	if err != nil {
		return nil, err
	}
	in, err := t.newSandbox(ctx, of.Shop, of.settings)
	if err != nil {
		return nil, err
	}
	made := &Sandbox{UID: uid + sandboxSuffix}
	if of.hasSandbox {
		if err := t.Delete(ctx, made.UID); err != nil {
			return nil, err
		}
	}
	created, err := t.CreateNew(ctx, caller, made.UID, *in)
	if err != nil {
		return nil, shopExists(err)
	}
	made.Owner, made.Link = created.Owner, created.Link
	s, err := t.FindIncludingSuspended(ctx, made.UID)
	if err != nil {
		return nil, err
	}
	if t.inventOrders != nil {
		if made.Orders, err = t.inventOrders(ctx, s, caller); err != nil {
			return nil, fmt.Errorf("invent orders: %w", err)
		}
	}
	key, _, err := s.Staff.CreateAPIKey(ctx, caller, staff.APIKeyInput{Label: "Sandbox", Scopes: []staff.Scope{staff.ScopeAll}})
	made.Key = key
	return made, err
}

// original is a shop that may have a sandbox.
type original struct {
	*shop.Shop
	settings   *shop.Settings
	hasSandbox bool
}

// findOriginal returns a shop that may have a sandbox. Codes: tenant_not_found, state_conflict (it
// is a sandbox), shop_exists (another shop has the UID of its sandbox), validation_failed (that UID
// is too long).
func (t *Tenants) findOriginal(ctx context.Context, uid string) (*original, error) {
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return nil, err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	if set.SandboxOf != "" {
		return nil, fault.Errorf(fault.CodeStateConflict, "This shop is the sandbox of %s.", set.SandboxOf)
	}
	if _, err := parseUID(uid + sandboxSuffix); err != nil {
		return nil, err
	}
	found := &original{Shop: s, settings: set}
	existing, err := t.FindIncludingSuspended(ctx, uid+sandboxSuffix)
	if fault.HasCode(err, fault.CodeTenantNotFound) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	now, err := existing.Settings(ctx)
	if err != nil {
		return nil, err
	}
	if found.hasSandbox = now.SandboxOf == uid; !found.hasSandbox {
		return nil, shopExists(fmt.Errorf("shop %s%s: %w", uid, sandboxSuffix, db.ErrExists))
	}
	return found, nil
}

// newSandbox returns the input of a shop's made.
func (t *Tenants) newSandbox(ctx context.Context, of *shop.Shop, set *shop.Settings) (*shop.NewShop, error) {
	in := &shop.NewShop{Settings: map[string]json.RawMessage{}}
	for name, value := range map[string]string{
		"name": set.Name + " (sandbox)", "currency": set.Currency, "country": set.Country, "locale": set.Locale,
		"activeMode": string(plugin.Sandbox), "sandboxOf": of.UID(),
	} {
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", name, err)
		}
		in.Settings[name] = encoded
	}
	members, err := of.Staff.ListMembers(ctx, access.Operator())
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if m.Role == staff.RoleOwner && in.Owner == nil {
			in.Owner = &staff.InviteInput{Name: m.Name, Email: m.Email, PhoneNumber: m.PhoneNumber, Role: staff.RoleOwner, Language: &m.Language}
		}
	}
	in.Template, err = t.ReadTemplate(ctx, of.UID(), true)
	return in, err
}
