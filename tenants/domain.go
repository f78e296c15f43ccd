package tenants

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
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
}

// DomainOwner returns the shop that owns a host name in canonical form, as of the last refresh. It
// only reads memory: scanners request unknown names by the thousand.
func (t *Tenants) DomainOwner(name string) (owner DomainOwner, ok bool) {
	owner, ok = t.Domains()[name]
	return owner, ok
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

// SetSettings changes settings of a shop as [shop.Shop.SetSettingsIf] does, and rejects a domain
// that another shop owns. Codes: tenant_not_found, validation_failed.
func (t *Tenants) SetSettings(
	ctx context.Context, caller access.Caller, uid string, changes map[string]json.RawMessage, check func(shop.StaffSettings) error,
) (set *shop.StaffSettings, err error) {
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return nil, err
	}
	wanted, ok := changes["domains"]
	if !ok {
		return s.SetSettingsIf(ctx, caller, changes, check)
	}
	unlock, err := t.store.LockNamed(ctx, "domains") // against two shops that claim one name at the same time
	if err != nil {
		return nil, err
	}
	defer func() {
		if unlockErr := unlock(); err == nil && unlockErr != nil {
			err = fmt.Errorf("unlock domains: %w", unlockErr)
		}
	}()
	if err := t.domains.refresh(ctx); err != nil {
		return nil, err
	}
	if err := t.rejectTakenDomains(caller, uid, wanted); err != nil {
		return nil, err
	}
	if set, err = s.SetSettingsIf(ctx, caller, changes, check); err != nil {
		return nil, err
	}
	return set, t.domains.refresh(ctx)
}

// rejectTakenDomains rejects domains of other shops. Only the operator learns their owners: staff
// must not discover the other shops of the server. A value that is not a list of names passes,
// since the shop's own check rejects it. Codes: validation_failed.
func (t *Tenants) rejectTakenDomains(caller access.Caller, uid string, wanted json.RawMessage) error {
	var names []string
	if json.Unmarshal(wanted, &names) != nil {
		return nil
	}
	var conflicts []fault.FieldError
	for i, name := range names {
		canonical, _ := shop.CanonicalDomain(name)
		if owner, ok := t.DomainOwner(canonical); ok && owner.UID != uid {
			of := "another shop"
			if caller.Operator {
				of = "the shop " + owner.UID
			}
			conflicts = append(conflicts, fault.FieldError{
				Field: fmt.Sprintf("domains[%d]", i), Code: fault.CodeInvalidValue,
				Message: fmt.Sprintf("%s belongs to %s: remove it there first.", canonical, of),
			})
		}
	}
	if conflicts == nil {
		return nil
	}
	return &fault.Error{Code: fault.CodeValidationFailed, Message: conflicts[0].Message, Fields: conflicts}
}
