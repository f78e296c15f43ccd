package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/staff"
)

// Installation is the UID under which the data of the whole server is stored: its operators, their
// links and sessions, and its audit log. It is stored as a shop is, so that both engines, schema
// steps, backups, replicas and restores apply to it unchanged. It is not a shop: no list shows it,
// no request reaches it by its UID, and no shop can have the UID. It does not exist until the first
// operator is created.
const Installation = "installation"

// installationName is the issuer of the codes in an operator's authenticator app.
const installationName = "Storefront console"

// Installation returns the data of the whole server. Codes: not_found (there is none yet).
func (t *Tenants) Installation(ctx context.Context) (*shop.Shop, error) {
	s, _, err := t.find(ctx, Installation)
	if fault.HasCode(err, fault.CodeTenantNotFound) {
		return nil, fault.Errorf(fault.CodeNotFound, "This server has no operators.")
	}
	return s, err
}

// CreateInstallation returns the data of the whole server, and creates it if there is none yet.
// Everybody who signs in to it must have a second factor.
func (t *Tenants) CreateInstallation(ctx context.Context) (*shop.Shop, error) {
	s, err := t.Installation(ctx)
	if !fault.HasCode(err, fault.CodeNotFound) {
		return s, err
	}
	settings := map[string]json.RawMessage{}
	for name, value := range map[string]string{
		"name": installationName, "currency": "USD", "country": "US", "locale": "en-US",
		"requireSecondFactor": string(staff.RequireEveryone),
	} {
		if settings[name], err = json.Marshal(value); err != nil {
			return nil, fmt.Errorf("setting %s: %w", name, err)
		}
	}
	_, err = shop.Create(ctx, t.config(Installation), settings)
	if err != nil && !errors.Is(err, db.ErrExists) { // by another process
		return nil, fmt.Errorf("create the installation's data: %w", err)
	}
	return t.Installation(ctx)
}

// StoredUIDs returns the UIDs of all shops, and [Installation] if there is one, sorted: all data to
// back up and to move.
func (t *Tenants) StoredUIDs(ctx context.Context) ([]string, error) { return listUIDs(ctx, t.store) }

// isOperatorSignedIn reports whether the session of an operator, by its ID, has not ended.
func (t *Tenants) isOperatorSignedIn(ctx context.Context, sessionID string) (bool, error) {
	s, err := t.Installation(ctx)
	if fault.HasCode(err, fault.CodeNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return s.Staff.IsSessionActive(ctx, sessionID)
}
