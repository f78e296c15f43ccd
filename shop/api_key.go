package shop

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/secret"
)

// apiKeyPrefix is the prefix of every API key, by which people, log filters and secret scanners
// recognize one.
const apiKeyPrefix = "sfa_"

// IsAPIKey reports whether a token has the form of an API key, which it may not be.
func IsAPIKey(token string) bool { return strings.HasPrefix(token, apiKeyPrefix) }

// maxAPIKeyLabel limits the label of an API key, in characters.
const maxAPIKeyLabel = 100

// APIKey is the record of an API key, with which a program administers one shop. The key itself is
// returned once, when it is created.
type APIKey struct {
	ID        string    `json:"_id"`
	Label     string    `json:"label"`
	CreatedAt time.Time `json:"createdAt"`
}

// CreateAPIKey creates an API key and returns it with its record. Only a hash of it is stored.
// Codes: validation_failed.
func (s *Shop) CreateAPIKey(
	ctx context.Context, caller access.Caller, label string,
) (key string, record *APIKey, err error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return "", nil, err
	}
	var bad fault.Invalid
	label = input.CheckLine(&bad, "label", label, maxAPIKeyLabel)
	if err := bad.Err(); err != nil {
		return "", nil, err
	}
	random := make([]byte, secret.KeyBytes)
	rand.Read(random)
	key = apiKeyPrefix + base64.RawURLEncoding.EncodeToString(random)
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		record = &APIKey{ID: s.ids.Next(tx.Now()), Label: label, CreatedAt: tx.Now()}
		return insertAPIKey(tx, record, hashAPIKey(key))
	})
	if err != nil {
		return "", nil, err
	}
	return key, record, nil
}

// ListAPIKeys returns the records of the API keys, oldest first.
func (s *Shop) ListAPIKeys(ctx context.Context, caller access.Caller) (list []APIKey, err error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		list, err = findAPIKeys(tx)
		return err
	})
	return list, err
}

// RevokeAPIKey deletes an API key, which is refused from then on. Codes: not_found.
func (s *Shop) RevokeAPIKey(ctx context.Context, caller access.Caller, id string) error {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return err
	}
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		ok, err := deleteAPIKey(tx, id)
		if err != nil {
			return err
		}
		if !ok {
			return fault.Errorf(fault.CodeNotFound, "There is no such API key.")
		}
		return nil
	})
}

// CheckAPIKey checks that key is an API key of this shop, such as the shop's own server sends.
// Codes: unauthenticated.
func (s *Shop) CheckAPIKey(ctx context.Context, key string) error {
	if !strings.HasPrefix(key, apiKeyPrefix) {
		return fault.Errorf(fault.CodeUnauthenticated, "The token is not an API key of this shop.")
	}
	return s.requireAdmin(ctx, access.Caller{Bearer: key})
}

// requireAdmin checks that the caller is the operator or has sent an API key of the shop.
// Codes: unauthenticated, forbidden (a customer's token).
func (s *Shop) requireAdmin(ctx context.Context, caller access.Caller) error {
	if caller.Operator {
		return nil
	}
	missing := fault.Errorf(fault.CodeUnauthenticated, "An API key of this shop is required. Send it as a Bearer token.")
	if !strings.HasPrefix(caller.Bearer, apiKeyPrefix) {
		who, err := s.Accounts.IdentityOrGuest(ctx, caller)
		if err != nil {
			return err
		}
		var customer account.Account
		err = s.view(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			customer, err = who.Customer(tx)
			return err
		})
		if err != nil {
			return err
		}
		if customer.IsGuest() {
			return missing
		}
		return fault.Errorf(fault.CodeForbidden, "A customer's access token does not permit this. Send an API key of the shop.")
	}
	hash := hashAPIKey(caller.Bearer)
	err := s.view(ctx, func(_ context.Context, tx *db.Tx) error { return checkAPIKeyHash(tx, hash) })
	if errors.Is(err, db.ErrNotFound) {
		return missing
	}
	return err
}

// hashAPIKey hashes a key without a salt and in one round, because a key is 256 random bits.
func hashAPIKey(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}
