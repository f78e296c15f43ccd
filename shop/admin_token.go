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
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/secret"
)

// adminPrefix begins every administrator's token, so that a person, a log filter and a secret
// scanner know one when they see it.
const adminPrefix = "sfa_"

// maxTokenLabel is the longest label of an administrator's token, in characters.
const maxTokenLabel = 100

// AdminToken lets a program administer one shop. The token itself is shown once, when it is made.
type AdminToken struct {
	ID        string    `json:"_id"`
	Label     string    `json:"label"`
	CreatedAt time.Time `json:"createdAt"`
}

// CreateAdminToken makes an administrator's token and gives it with its record. Only a hash is
// kept. Codes: validation_failed.
func (s *Shop) CreateAdminToken(ctx context.Context, caller access.Caller, label string) (token string, record *AdminToken, err error) {
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

// ListAdminTokens lists the administrators' tokens, oldest first.
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

// RevokeAdminToken ends an administrator's token, at once. Codes: not_found.
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
			return fault.Errorf(fault.CodeNotFound, "There is no such token.")
		}
		return nil
	})
}

// requireAdmin is for what only staff at the command line and the holder of an administrator's
// token may do. Codes: unauthenticated, forbidden (a customer's token).
func (s *Shop) requireAdmin(ctx context.Context, caller access.Caller) error {
	if caller.Operator {
		return nil
	}
	missing := fault.Errorf(fault.CodeUnauthenticated, "Send an administrator's token of this shop as a Bearer.")
	if !strings.HasPrefix(caller.Bearer, adminPrefix) {
		who, err := s.identityOrGuest(ctx, caller)
		if err != nil {
			return err
		}
		var account customerRow
		err = s.view(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			account, err = who.customer(tx)
			return err
		})
		if err != nil {
			return err
		}
		if account.isGuest() {
			return missing
		}
		return fault.Errorf(fault.CodeForbidden, "A customer's token does not administer the shop.")
	}
	hash := hashAdminToken(caller.Bearer)
	err := s.view(ctx, func(_ context.Context, tx *db.Tx) error { return checkAdminToken(tx, hash) })
	if errors.Is(err, db.ErrNotFound) {
		return missing
	}
	return err
}

// hashAdminToken needs no salt and no slowness: a token is 256 random bits.
func hashAdminToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
