package tenants

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"storefront/shop"
)

// domainPause lies between two looks for changed domains: a command's change is served this soon.
const domainPause = 5 * time.Second

// DomainOwner is the shop that a host name belongs to.
type DomainOwner struct {
	UID       string
	Suspended bool
}

// DomainOwner gives the shop that a host name, in its canonical form, belongs to, as the last look
// found it. It asks memory alone: strangers send names by the thousand.
func (t *Tenants) DomainOwner(name string) (owner DomainOwner, ok bool) {
	owner, ok = t.Domains()[name]
	return owner, ok
}

// Domains gives the host names that belong to shops, as the last look found them. The map is not to
// be changed.
func (t *Tenants) Domains() map[string]DomainOwner {
	if owners := t.domains.owners.Load(); owners != nil {
		return *owners
	}
	return nil
}

// WatchDomains keeps what DomainOwner knows up to date until ctx ends, whatever process changes a
// shop's settings.
func (t *Tenants) WatchDomains(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(domainPause)
	defer tick.Stop()
	for {
		if err := t.domains.refresh(ctx); err != nil && ctx.Err() == nil {
			log.Error("look for the shops' domains", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// SetSettings changes settings of the shop under uid, as [shop.Shop.SetSettings] does, and refuses
// a domain that another shop has. Codes: tenant_not_found, validation_failed.
func (t *Tenants) SetSettings(ctx context.Context, uid string, changes map[string]json.RawMessage) (s *shop.Shop, err error) {
	if s, err = t.FindIncludingSuspended(ctx, uid); err != nil {
		return nil, err
	}
	wanted, ok := changes["domains"]
	if !ok {
		return s, s.SetSettings(ctx, changes)
	}
	unlock, err := t.store.LockNamed(ctx, "domains") // two shops that ask for one name at once
	if err != nil {
		return nil, err
	}
	defer func() {
		if unlockErr := unlock(); err == nil && unlockErr != nil {
			err = fmt.Errorf("unlock the domains: %w", unlockErr)
		}
	}()
	if err := t.domains.refresh(ctx); err != nil {
		return nil, err
	}
	if err := t.rejectTakenDomains(uid, wanted); err != nil {
		return nil, err
	}
	if err := s.SetSettings(ctx, changes); err != nil {
		return nil, err
	}
	return s, t.domains.refresh(ctx)
}

// rejectTakenDomains refuses domains of other shops. What is no list of domains is for the shop to refuse.
func (t *Tenants) rejectTakenDomains(uid string, wanted json.RawMessage) error {
	var names []string
	if json.Unmarshal(wanted, &names) != nil {
		return nil
	}
	var taken []shop.FieldError
	for i, name := range names {
		canonical, _ := shop.CanonicalDomain(name)
		if owner, ok := t.DomainOwner(canonical); ok && owner.UID != uid {
			taken = append(taken, shop.FieldError{
				Field: fmt.Sprintf("domains[%d]", i), Code: shop.CodeInvalidValue,
				Message: fmt.Sprintf("%s belongs to the shop %s: take it from that shop first.", canonical, owner.UID),
			})
		}
	}
	if taken == nil {
		return nil
	}
	return &shop.Error{Code: shop.CodeValidationFailed, Message: taken[0].Message, Fields: taken}
}
