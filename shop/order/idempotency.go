package order

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/status"
)

const (
	// maxIdempotencyKey is the maximum length of a key, in bytes.
	maxIdempotencyKey = 255
	// idempotencyTTL is the time for which the first success is returned again.
	idempotencyTTL = 24 * time.Hour
)

// idempotency is a client's idempotency key with a hash of the input. The zero value means no key.
type idempotency struct {
	key         string
	fingerprint []byte
}

// CheckIdempotencyKey checks a key that a client sent. An empty key is rejected, since it would
// have no effect. Transports call it, since only they can distinguish an empty key from a missing
// one. Codes: validation_failed.
func CheckIdempotencyKey(key string) error {
	var bad fault.Invalid
	isInvisible := func(r rune) bool { return r <= ' ' || r > '~' }
	if key == "" || len(key) > maxIdempotencyKey || strings.ContainsFunc(key, isInvisible) {
		bad.Add("idempotencyKey", fault.CodeInvalidValue, "The idempotency key must be 1 to %d visible ASCII characters.", maxIdempotencyKey)
	}
	return bad.Err()
}

// newIdempotency checks a key and hashes the decoded input, so that the same order has the same
// fingerprint on every transport. Codes: validation_failed.
func newIdempotency(key string, in Input) (idempotency, error) {
	if key == "" {
		return idempotency{}, nil
	}
	if err := CheckIdempotencyKey(key); err != nil {
		return idempotency{}, err
	}
	if in.PaymentMethod == nil || *in.PaymentMethod == "" { // a transport may fill in the default
		method := status.PayCOD
		in.PaymentMethod = &method
	}
	in.Attribution = nil // it may change while a form is sent again
	text, err := json.Marshal(in)
	if err != nil {
		return idempotency{}, fmt.Errorf("fingerprint order: %w", err)
	}
	sum := sha256.Sum256(text)
	return idempotency{key: key, fingerprint: sum[:]}, nil
}

// placeScope returns the scope of a buyer's keys, separate from other buyers' keys.
func placeScope(customer account.Account, phone string) string {
	if customer.IsGuest() {
		return "place:phone:" + phone
	}
	return customerScope(customer.ID())
}

func customerScope(id string) string { return "place:customer:" + id }

// replay returns the id of the order that this key created before, or "" if it created none.
// Codes: idempotency_key_reused.
func (k idempotency) replay(tx *db.Tx, scope string) (orderID string, err error) {
	if k.key == "" {
		return "", nil
	}
	var fingerprint []byte
	err = tx.QueryRow(`
		SELECT order_id, fingerprint
		FROM idempotency_keys
		WHERE scope = ? AND key = ? AND created_at > ?`,
		scope, k.key, db.Millis(tx.Now().Add(-idempotencyTTL))).Scan(&orderID, &fingerprint)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("find idempotency key: %w", err)
	case string(fingerprint) != string(k.fingerprint):
		return "", fault.Errorf(fault.CodeIdempotencyKeyReused, "This idempotency key was already used for a different order: use a new key.")
	}
	return orderID, nil
}

// maxPurgedKeys limits the expired keys that one order deletes: more than the one it adds, but few
// enough not to delay the first order on the day after a rush.
const maxPurgedKeys = 16

const purgeKeysQuery = `
		DELETE FROM idempotency_keys
		WHERE (scope, key) IN (
			SELECT scope, key
			FROM idempotency_keys
			WHERE created_at <= ?
			LIMIT ?)`

// save stores the order that the key created, and deletes some expired keys.
func (k idempotency) save(tx *db.Tx, scope, orderID string) error {
	if k.key == "" {
		return nil
	}
	err := tx.Do(purgeKeysQuery, db.Millis(tx.Now().Add(-idempotencyTTL)), maxPurgedKeys)
	if err != nil {
		return fmt.Errorf("delete expired idempotency keys: %w", err)
	}
	// Only the same key, expired but not deleted yet, can conflict.
	err = tx.Do(`
		INSERT INTO idempotency_keys (scope, key, fingerprint, order_id, created_at)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (scope, key) DO UPDATE
		SET fingerprint = excluded.fingerprint, order_id = excluded.order_id, created_at = excluded.created_at`,
		scope, k.key, k.fingerprint, orderID, db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("save idempotency key: %w", err)
	}
	return nil
}
