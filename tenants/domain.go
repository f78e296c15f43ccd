package tenants

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// domainPause is the interval of checks for changed domains, and so the delay of another process's
// change.
const domainPause = 5 * time.Second

// DomainOwner is the shop that a host name belongs to.
type DomainOwner struct {
	UID       string
	Suspended bool
	Confirmed bool // by the operator
}

// DomainOwner returns the shop that owns a host name in canonical form, as of the last refresh. It
// only reads memory: scanners request unknown names by the thousand.
func (t *Tenants) DomainOwner(name string) (owner DomainOwner, ok bool) {
	owner, ok = t.Domains()[name]
	return owner, ok
}

// OnlyShop returns the UID of the server's shop, as of the last refresh; ok is false if it has none
// or several.
func (t *Tenants) OnlyShop() (uid string, ok bool) {
	if only := t.domains.only.Load(); only != nil {
		return string(*only), true
	}
	return "", false
}

// Domains returns the host names of all shops and their owners, as of the last refresh. The map
// must not be modified.
func (t *Tenants) Domains() map[string]DomainOwner {
	if owners := t.domains.owners.Load(); owners != nil {
		return *owners
	}
	return nil
}

// WatchDomains refreshes the domains until ctx ends, so that [Tenants.DomainOwner] sees the changes
// of other processes.
func (t *Tenants) WatchDomains(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(t.domainPause)
	defer tick.Stop()
	for {
		if err := t.domains.refresh(ctx); err != nil && ctx.Err() == nil {
			log.Error("refresh domains failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// RefreshDomains makes the changes of other processes immediately visible to [Tenants.DomainOwner].
func (t *Tenants) RefreshDomains(ctx context.Context) error { return t.domains.refresh(ctx) }

// SetSettings changes settings of a shop as [shop.Shop.SetSettingsIf] does, and rejects the domains
// of the server and of other shops. Codes: tenant_not_found, validation_failed.
func (t *Tenants) SetSettings(
	ctx context.Context,
	caller access.Caller,
	uid string,
	changes map[string]json.RawMessage,
	check func(shop.StaffSettings) error,
) (set *shop.StaffSettings, err error) {
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return nil, err
	}
	err = t.withDomains(ctx, caller, uid, changes, func() (err error) {
		set, err = s.SetSettingsIf(ctx, caller, changes, check)
		return err
	})
	return set, err
}

// withDomains runs change, which stores changes of a shop's settings. It rejects the domains of the
// server and of other shops, and removes displaced ones from the other shops. Codes:
// validation_failed.
func (t *Tenants) withDomains(
	ctx context.Context,
	caller access.Caller,
	uid string,
	changes map[string]json.RawMessage,
	change func() error,
) (err error) {
	wanted, ok := changes["domains"]
	if !ok {
		return change()
	}
	unlock, err := t.store.LockNamed(
		ctx,
		"domains",
	) // against two shops that claim one name at the same time
	if err != nil {
		return err
	}
	defer func() {
		if unlockErr := unlock(); err == nil && unlockErr != nil {
			err = fmt.Errorf("unlock domains: %w", unlockErr)
		}
	}()
	if err := t.domains.refresh(ctx); err != nil {
		return err
	}
	displaced, err := t.claimDomains(caller, uid, wanted)
	if err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	if !caller.Operator { // who is no member of the other shop
		caller = access.Operator()
	}
	for name, other := range displaced {
		if err := t.displaceDomain(ctx, caller, other, name); err != nil {
			return err
		}
	}
	return t.domains.refresh(ctx)
}

// claimDomains checks that a shop can have these domains, and returns the other shops that lose one
// of them, by domain. The server's own names and the domains of other shops are rejected. A domain
// that the other shop's staff have entered yields to the operator unless a certificate has proved
// it, and to staff if its DNS leads elsewhere, so that nobody can squat it. Only the operator
// learns the owners: staff must not discover the other shops of the server. A value that is not a
// list of names passes, since the shop's own check rejects it. Codes: validation_failed.
func (t *Tenants) claimDomains(
	caller access.Caller, uid string, wanted json.RawMessage,
) (displaced map[string]string, err error) {
	var names []string
	if json.Unmarshal(wanted, &names) != nil {
		return nil, nil
	}
	var bad fault.Invalid
	displaced = map[string]string{}
	for i, name := range names {
		canonical, _ := shop.CanonicalDomain(name)
		field := fmt.Sprintf("domains[%d]", i)
		owner, taken := t.DomainOwner(canonical)
		switch {
		case t.IsOwnHost(canonical):
			bad.Add(
				field,
				fault.CodeInvalidValue,
				"%s is a name of this server: enter a name of the shop.",
				canonical,
			)
		case !taken || owner.UID == uid:
		case !caller.Operator && t.DomainProof(canonical) != ProofMissing:
			bad.Add(
				field,
				fault.CodeInvalidValue,
				"%s belongs to another shop: remove it there first.",
				canonical,
			)
		case caller.Operator && (owner.Confirmed || t.proofs.has != nil && t.proofs.has(canonical)):
			bad.Add(
				field,
				fault.CodeInvalidValue,
				"%s belongs to the shop %s: remove it there first.",
				canonical,
				owner.UID,
			)
		default:
			displaced[canonical] = owner.UID
		}
	}
	return displaced, bad.Err()
}

// displaceDomain removes a domain from a shop for the operator.
func (t *Tenants) displaceDomain(
	ctx context.Context,
	caller access.Caller,
	uid, name string,
) error {
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(
		slices.Clone(set.Domains),
		func(domain string) bool { return domain == name },
	)
	text, err := json.Marshal(others)
	if err != nil {
		return fmt.Errorf("encode domains: %w", err)
	}
	confirmed, err := json.Marshal(set.ConfirmedDomains)
	if err != nil {
		return fmt.Errorf("encode domains: %w", err)
	}
	return s.SetSettings(
		ctx,
		caller,
		map[string]json.RawMessage{"domains": text, "confirmedDomains": confirmed},
	)
}

// ownHosts returns the host names of the server in canonical form, first the one of its public URL.
func ownHosts(cfg *Config) []string {
	names := append([]string{hostOf(cfg.PublicURL)}, cfg.OwnHosts...)
	names = append(names, hostOf(cfg.DashboardURL))
	var own []string
	for _, name := range names {
		if canonical, ok := shop.CanonicalDomain(name); ok && !slices.Contains(own, canonical) {
			own = append(own, canonical)
		}
	}
	return own
}

// hostOf returns the host name of a URL, "" if it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// IsOwnHost reports whether a name in canonical form is one of the server's, which no shop can
// have.
func (t *Tenants) IsOwnHost(name string) bool { return slices.Contains(t.proofs.own, name) }
