package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// WorkPurpose is what requires a proof of work.
//
//api:enum WorkPurpose
type WorkPurpose string

// The purposes.
const (
	WorkForOTP    WorkPurpose = "otp"    // requesting a code
	WorkForOrders WorkPurpose = "orders" // placing an order as a guest
)

// WorkPurposes returns every purpose.
func WorkPurposes() []WorkPurpose { return []WorkPurpose{WorkForOTP, WorkForOrders} }

const (
	// workBits is the difficulty: 65,536 hashes on average, seconds in a browser.
	workBits          = 16
	challengeLifetime = 10 * time.Minute
	challengeRandom   = 12
	challengeBody     = 8 + challengeRandom // expiry and random bytes, before the MAC
	maxWorkProof      = 200
)

// WorkProof is a verified proof of work, which is valid once. The zero value is for a shop that
// requires none.
type WorkProof struct {
	key     []byte // of the solved challenge; nil if there is none
	expires time.Time
	refuse  func() error // returns an error with a new challenge
}

// CheckWork verifies the caller's proof of work if the shop requires one for the purpose. The
// server stores no challenge: it is signed. A nonce solves it if the SHA-256 of both begins with as
// many zero bits as its difficulty. Codes: work_required, with a new challenge in its details.
func (a *Accounts) CheckWork(ctx context.Context, caller access.Caller, purpose WorkPurpose) (WorkProof, error) {
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return WorkProof{}, err
	}
	if !set.RequiresWork(purpose) {
		return WorkProof{}, nil
	}
	p, err := a.findWork(ctx, caller, purpose)
	if err == nil && !p.isSolved() {
		err = p.refuse()
	}
	return p, err
}

// findWork returns the caller's proof of work, which need not be solved.
func (a *Accounts) findWork(ctx context.Context, caller access.Caller, purpose WorkPurpose) (WorkProof, error) {
	t, err := a.loadThrottles(ctx)
	if err != nil {
		return WorkProof{}, err
	}
	p := WorkProof{refuse: func() error { return a.errWorkRequired(t, purpose) }}
	if challenge, expires, ok := t.verifyWork(caller.WorkProof, purpose, a.cfg.Now()); ok {
		p.key, p.expires = t.Hash("work proof", challenge), expires
	}
	return p, nil
}

// isSolved reports whether the caller has sent a proof.
func (p WorkProof) isSolved() bool { return p.key != nil }

// Use uses up the proof. It must be called in the transaction of the use case. Codes: work_required
// (the proof was used before).
func (p WorkProof) Use(tx *db.Tx) error {
	if p.key == nil {
		return nil
	}
	if err := pruneWorkProofs(tx); err != nil {
		return err
	}
	fresh, err := insertWorkProof(tx, p.key, p.expires)
	if err == nil && !fresh {
		return p.refuse()
	}
	return err
}

// insertWorkProof records a used proof. It reports false if the proof was used before.
func insertWorkProof(tx *db.Tx, key []byte, expires time.Time) (fresh bool, err error) {
	n, err := tx.Exec(`
		INSERT INTO work_proofs (key, expires_at)
		VALUES (?, ?)
		ON CONFLICT (key) DO NOTHING`, key, db.Millis(expires))
	if err != nil {
		return false, fmt.Errorf("save work proof: %w", err)
	}
	return n > 0, nil
}

// pruneWorkProofs deletes up to 100 used proofs with challenges that no request can be using any
// more. Nothing else bounds the table: each row cost its client the work.
func pruneWorkProofs(tx *db.Tx) error {
	_, err := tx.Exec(`
		DELETE FROM work_proofs
		WHERE key IN (
			SELECT key
			FROM work_proofs
			WHERE expires_at <= ?
			ORDER BY expires_at
			LIMIT 100
		)`, db.Millis(tx.Now().Add(-challengeLifetime)))
	if err != nil {
		return fmt.Errorf("prune work proofs: %w", err)
	}
	return nil
}

// errWorkRequired returns an error with a new challenge.
func (a *Accounts) errWorkRequired(t throttles, purpose WorkPurpose) error {
	body := binary.BigEndian.AppendUint64(nil, uint64(a.cfg.Now().Add(challengeLifetime).Unix()))
	body = append(body, make([]byte, challengeRandom)...)
	if _, err := io.ReadFull(a.cfg.Rand, body[8:]); err != nil {
		return fmt.Errorf("generate challenge: %w", err)
	}
	required := fault.Errorf(fault.CodeWorkRequired,
		"The shop requires a proof of work: solve the challenge and send the same request with X-Work-Proof.")
	required.Details = map[string]any{
		"challenge": base64.RawURLEncoding.EncodeToString(append(body, t.workMAC(body, purpose)...)), "difficulty": workBits,
	}
	return required
}

func (t throttles) workMAC(body []byte, purpose WorkPurpose) []byte {
	return t.Hash("work challenge", string(purpose), string(body))
}

// verifyWork reports whether a proof solves a live challenge of the shop for the purpose, and
// returns the challenge and its expiry.
func (t throttles) verifyWork(proof string, purpose WorkPurpose, now time.Time) (challenge string, expires time.Time, ok bool) {
	challenge, nonce, found := strings.Cut(proof, ".")
	if !found || nonce == "" || len(proof) > maxWorkProof {
		return "", time.Time{}, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(challenge)
	if err != nil || len(raw) <= challengeBody {
		return "", time.Time{}, false
	}
	body, mac := raw[:challengeBody], raw[challengeBody:]
	expires = time.Unix(int64(binary.BigEndian.Uint64(body)), 0)
	if !hmac.Equal(mac, t.workMAC(body, purpose)) || !now.Before(expires) {
		return "", time.Time{}, false
	}
	sum := sha256.Sum256([]byte(proof))
	return challenge, expires, bits.LeadingZeros32(binary.BigEndian.Uint32(sum[:4])) >= workBits
}
