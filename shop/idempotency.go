package shop

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/fault"
)

const (
	// maxIdempotencyKey is the longest key, in bytes.
	maxIdempotencyKey = 255
	// idempotencyLife is how long a first success is given again.
	idempotencyLife = 24 * time.Hour
)

// idempotency is a key that a caller sent, with a hash of what it was sent with. A zero key: none.
type idempotency struct {
	key         string
	fingerprint []byte
}

// CheckIdempotencyKey checks a key that a client has sent. Transports ask it, since only they know
// that a key was sent empty: it would protect from nothing, and the client believes that it does.
// Codes: validation_failed.
func CheckIdempotencyKey(key string) error {
	var bad fault.Invalid
	isInvisible := func(r rune) bool { return r <= ' ' || r > '~' }
	if key == "" || len(key) > maxIdempotencyKey || strings.ContainsFunc(key, isInvisible) {
		bad.Add("idempotencyKey", fault.CodeInvalidValue, "An idempotency key is 1 to %d visible ASCII characters.", maxIdempotencyKey)
	}
	return bad.Err()
}

// newIdempotency checks a key. The fingerprint is of the decoded input, so that the same order is
// the same by every transport. Codes: validation_failed.
func newIdempotency(key string, in OrderInput) (idempotency, error) {
	if key == "" {
		return idempotency{}, nil
	}
	if err := CheckIdempotencyKey(key); err != nil {
		return idempotency{}, err
	}
	if in.PaymentMethod == nil || *in.PaymentMethod == "" { // a transport may fill in the default
		method := PayCOD
		in.PaymentMethod = &method
	}
	text, err := json.Marshal(in)
	if err != nil {
		return idempotency{}, fmt.Errorf("fingerprint order: %w", err)
	}
	sum := sha256.Sum256(text)
	return idempotency{key: key, fingerprint: sum[:]}, nil
}

// placeScope keeps the keys of one buyer apart from those of another.
func placeScope(account customerRow, phone string) string {
	if account.isGuest() {
		return "place:phone:" + phone
	}
	return "place:customer:" + account.id
}

// replay gives the id of the order that this key made before; "" where it made none.
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
		scope, k.key, db.Millis(tx.Now().Add(-idempotencyLife))).Scan(&orderID, &fingerprint)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("find idempotency key: %w", err)
	case string(fingerprint) != string(k.fingerprint):
		return "", fault.Errorf(fault.CodeIdempotencyKeyReused, "This idempotency key was used for another order: use a fresh one.")
	}
	return orderID, nil
}

// maxForgotten bounds how many keys an order forgets: more than come with it, and few enough that
// the first order of the day after a rush does not wait for all of them.
const maxForgotten = 16

const forgetKeysQuery = `
		DELETE FROM idempotency_keys
		WHERE (scope, key) IN (
			SELECT scope, key
			FROM idempotency_keys
			WHERE created_at <= ?
			LIMIT ?)`

// save remembers the order that the key made, and forgets some keys whose time is over.
func (k idempotency) save(tx *db.Tx, scope, orderID string) error {
	if k.key == "" {
		return nil
	}
	_, err := tx.Exec(forgetKeysQuery, db.Millis(tx.Now().Add(-idempotencyLife)), maxForgotten)
	if err != nil {
		return fmt.Errorf("forget old idempotency keys: %w", err)
	}
	// In the way is at most the same key of the day before.
	_, err = tx.Exec(`
		INSERT INTO idempotency_keys (scope, key, fingerprint, order_id, created_at)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (scope, key) DO UPDATE
		SET fingerprint = excluded.fingerprint, order_id = excluded.order_id, created_at = excluded.created_at`, scope, k.key, k.fingerprint, orderID, db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("keep idempotency key: %w", err)
	}
	return nil
}
