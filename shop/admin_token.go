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

// adminPrefix is the prefix of every API key, by which people, log filters and secret scanners recognize
// one.
const adminPrefix = "sfa_"

// maxTokenLabel limits the label of an API key, in characters.
const maxTokenLabel = 100

// AdminToken is the record of an API key, with which a program administers one shop. The key itself is
// returned once, when it is created.
type AdminToken struct {
	ID        string    `json:"_id"`
	Label     string    `json:"label"`
	CreatedAt time.Time `json:"createdAt"`
}

// CreateAdminToken creates an API key and returns it with its record. Only a hash of it is stored.
// Codes: validation_failed.
func (s *Shop) CreateAdminToken(
	ctx context.Context, caller access.Caller, label string,
) (token string, record *AdminToken, err error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return "", nil, err
	}
	var bad fault.Invalid
	label = input.CheckLine(&bad, "label", label, maxTokenLabel)
	if err := bad.Err(); err != nil {
		return "", nil, err
	}
	random := make([]byte, secret.KeyBytes)
	rand.Read(random)
	token = adminPrefix + base64.RawURLEncoding.EncodeToString(random)
	err = s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		record = &AdminToken{ID: s.ids.Next(tx.Now()), Label: label, CreatedAt: tx.Now()}
		return insertAdminToken(tx, record, hashAdminToken(token))
	})
	if err != nil {
		return "", nil, err
	}
	return token, record, nil
}

// ListAdminTokens returns the records of the API keys, oldest first.
func (s *Shop) ListAdminTokens(ctx context.Context, caller access.Caller) (list []AdminToken, err error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		list, err = findAdminTokens(tx)
		return err
	})
	return list, err
}

// RevokeAdminToken deletes an API key, which is refused from then on. Codes: not_found.
func (s *Shop) RevokeAdminToken(ctx context.Context, caller access.Caller, id string) error {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return err
	}
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		ok, err := deleteAdminToken(tx, id)
		if err != nil {
			return err
		}
		if !ok {
			return fault.Errorf(fault.CodeNotFound, "There is no such API key.")
		}
		return nil
	})
}

// requireAdmin checks that the caller is the operator or has sent an API key of the shop.
// Codes: unauthenticated, forbidden (a customer's token).
func (s *Shop) requireAdmin(ctx context.Context, caller access.Caller) error {
	if caller.Operator {
		return nil
	}
	missing := fault.Errorf(fault.CodeUnauthenticated, "An API key of this shop is required. Send it as a Bearer token.")
	if !strings.HasPrefix(caller.Bearer, adminPrefix) {
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
	hash := hashAdminToken(caller.Bearer)
	err := s.view(ctx, func(_ context.Context, tx *db.Tx) error { return checkAdminToken(tx, hash) })
	if errors.Is(err, db.ErrNotFound) {
		return missing
	}
	return err
}

// hashAdminToken hashes a key without a salt and in one round, because a key is 256 random bits.
func hashAdminToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
