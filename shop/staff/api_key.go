package staff

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/secret"
)

// apiKeyPrefix is the prefix of every API key, for recognition by people, log filters and secret
// scanners.
const apiKeyPrefix = "sfa_"

// IsAPIKey reports whether a token has the form of an API key.
func IsAPIKey(token string) bool { return strings.HasPrefix(token, apiKeyPrefix) }

// maxAPIKeyLabel limits the label of an API key, in characters.
const maxAPIKeyLabel = 100

// APIKey is the record of an API key, the credential of a program that administers one shop. The
// key itself is returned once, when it is created.
type APIKey struct {
	ID        string    `json:"_id"`
	Label     string    `json:"label"`
	CreatedAt time.Time `json:"createdAt"`
	// ExpiresAt is the time from which the key is refused; nil means never.
	ExpiresAt *time.Time `json:"expiresAt"`
	// Scopes are the permissions of the key, or [ScopeAll].
	Scopes     []Scope    `json:"scopes" nullable:"false"`
	LastUsedAt *time.Time `json:"lastUsedAt"` // to ten minutes; nil means never
	CreatedBy  *Actor     `json:"createdBy"`  // nil means unknown
}

// maxAPIKeys limits the API keys of a shop.
const maxAPIKeys = 50

// IsExpired reports whether the key is refused at a time.
func (k *APIKey) IsExpired(now time.Time) bool {
	return k.ExpiresAt != nil && !now.Before(*k.ExpiresAt)
}

// APIKeyInput is the input of [Staff.CreateAPIKey].
type APIKeyInput struct {
	Label     string
	ExpiresAt *time.Time // nil means that the key does not expire
	// Scopes are permissions, or [ScopeAll]; empty means all that a key can have.
	Scopes []Scope
}

// check returns the scopes, sorted.
func (in APIKeyInput) checkScopes(bad *fault.Invalid) []Scope {
	if len(in.Scopes) == 0 || slices.Contains(in.Scopes, ScopeAll) {
		return []Scope{ScopeAll}
	}
	scopes := slices.Clone(in.Scopes)
	for _, scope := range scopes {
		if !canBeScope(access.Permission(scope)) {
			bad.Add("scopes", fault.CodeInvalidValue, "An API key cannot have the scope %q. Must be %s, or some of: %s.", scope, ScopeAll, joined(Scopes()))
		}
	}
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

// CreateAPIKey creates an API key and returns it with its record. Only a hash of it is stored.
// Codes: validation_failed, state_conflict (too many keys), unauthenticated, forbidden.
func (s *Staff) CreateAPIKey(
	ctx context.Context, caller access.Caller, in APIKeyInput,
) (key string, record *APIKey, err error) {
	random := make([]byte, secret.KeyBytes)
	rand.Read(random)
	key = apiKeyPrefix + base64.RawURLEncoding.EncodeToString(random)
	record, err = access.Write(ctx, s.data, caller, access.ToCreateAPIKey, func(tx *db.Tx, who access.Staff) (*APIKey, error) {
		created, err := in.record(s.cfg.Now())
		if err != nil {
			return nil, err
		}
		keys, err := findAPIKeys(tx)
		if err != nil {
			return nil, err
		}
		if len(keys) >= maxAPIKeys {
			return nil, fault.Errorf(fault.CodeStateConflict, "The shop has %d API keys, which is the limit: revoke one that is no longer used.", len(keys))
		}
		created.ID, created.CreatedAt, created.CreatedBy = s.cfg.IDs.Next(tx.Now()), tx.Now(), new(who.Actor())
		if err := insertAPIKey(tx, created, hashToken(key)); err != nil {
			return nil, err
		}
		return created, who.Audit(tx, created.subject(), access.Set("scopes", created.Scopes), access.Set("expiresAt", created.ExpiresAt))
	})
	if err != nil {
		return "", nil, err
	}
	return key, record, nil
}

// record returns the record of a key with the input. Codes: validation_failed.
func (in APIKeyInput) record(now time.Time) (*APIKey, error) {
	if in.ExpiresAt != nil {
		in.ExpiresAt = new(db.FromMillis(db.Millis(*in.ExpiresAt))) // as stored
	}
	var bad fault.Invalid
	label := input.CheckLine(&bad, "label", in.Label, maxAPIKeyLabel)
	if in.ExpiresAt != nil && !in.ExpiresAt.After(now) {
		bad.Add("expiresAt", fault.CodeInvalidValue, "The key must expire in the future.")
	}
	return &APIKey{Label: label, ExpiresAt: in.ExpiresAt, Scopes: in.checkScopes(&bad)}, bad.Err()
}

// ExpiryNotice is the time before its expiry from which an API key needs attention.
const ExpiryNotice = 7 * 24 * time.Hour

// ListAPIKeys returns the records of the API keys, oldest first.
func (s *Staff) ListAPIKeys(ctx context.Context, caller access.Caller) ([]APIKey, error) {
	return access.Read(ctx, s.data, caller, access.ToListAPIKeys, func(tx *db.Tx, _ access.Staff) ([]APIKey, error) { return findAPIKeys(tx) })
}

// RevokeAPIKey deletes an API key, which is refused from then on. Codes: not_found,
// unauthenticated, forbidden.
func (s *Staff) RevokeAPIKey(ctx context.Context, caller access.Caller, id string) error {
	return access.Do(ctx, s.data, caller, access.ToRevokeAPIKey, func(tx *db.Tx, who access.Staff) error {
		keys, err := findAPIKeys(tx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(keys, func(k APIKey) bool { return k.ID == id })
		if i < 0 {
			return fault.Errorf(fault.CodeNotFound, "There is no such API key.")
		}
		if err := deleteAPIKey(tx, id); err != nil {
			return err
		}
		return who.Audit(tx, keys[i].subject())
	})
}

// subject returns the key as in the audit log.
func (k *APIKey) subject() access.Subject {
	return access.Subject{Kind: access.SubjectKey, ID: k.ID, Label: k.Label}
}

// CheckAPIKey checks that key is a current API key of this shop, for example of the shop's own
// server, and that it has a scope. Codes: unauthenticated, forbidden.
func (s *Staff) CheckAPIKey(ctx context.Context, key string, scope access.Permission) error {
	if !IsAPIKey(key) {
		return fault.Errorf(fault.CodeUnauthenticated, "The token is not an API key of this shop.")
	}
	_, err := s.identify(ctx, access.Caller{Bearer: key}, access.UseCase{Permission: scope})
	return err
}
