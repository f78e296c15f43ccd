package passkey

import (
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/throttle"
)

// Purpose is what a challenge is for.
type Purpose string

// The purposes.
const (
	ToAdd    Purpose = "add"     // a passkey to an account
	ToSignIn Purpose = "sign in" // the owner of the passkey
	ToProve  Purpose = "prove"   // the holder of a session
)

const (
	challengeLifetime = 5 * time.Minute
	challengeRandom   = 16
	challengeBody     = 8 + challengeRandom // expiry and random bytes, before the MAC
)

// Ceremony is one registration of a passkey or one proof by it. A challenge is signed for it and
// not stored, so that any server of the shop accepts it, after a restart too.
type Ceremony struct {
	Purpose Purpose
	Site    Site
	// Subject is the account or session that the challenge is for; "" for a sign-in.
	Subject string
	// Keys signs challenges. It is the shop's own.
	Keys throttle.Source
}

func (c Ceremony) mac(body []byte) []byte {
	return c.Keys.Hash("passkey challenge", string(c.Purpose), c.Site.origin, c.Subject, string(body))
}

// NewChallenge returns a challenge that is valid for five minutes, and once.
func (c Ceremony) NewChallenge(now time.Time) string {
	body := binary.BigEndian.AppendUint64(nil, uint64(now.Add(challengeLifetime).Unix()))
	random := make([]byte, challengeRandom)
	rand.Read(random)
	body = append(body, random...)
	return base64.RawURLEncoding.EncodeToString(append(body, c.mac(body)...))
}

// Challenge is a challenge that was verified, and not used up yet.
type Challenge struct {
	text    string
	hash    []byte
	expires time.Time
}

// FindChallenge returns the challenge that an authenticator has signed, if it was made for this
// ceremony and has not expired.
func (c Ceremony) FindChallenge(clientData []byte, now time.Time) (challenge Challenge, ok bool) {
	var data struct {
		Challenge string `json:"challenge"`
	}
	if json.Unmarshal(clientData, &data) != nil {
		return Challenge{}, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(data.Challenge)
	if err != nil || len(raw) <= challengeBody {
		return Challenge{}, false
	}
	body, mac := raw[:challengeBody], raw[challengeBody:]
	expires := time.Unix(int64(binary.BigEndian.Uint64(body)), 0)
	if !hmac.Equal(mac, c.mac(body)) || !now.Before(expires) {
		return Challenge{}, false
	}
	return Challenge{data.Challenge, c.Keys.Hash("used passkey challenge", string(body)), expires}, true
}

// Use uses up the challenge, and reports false if it was used before. It must be called in the
// transaction of the ceremony.
func (c Challenge) Use(tx *db.Tx) (fresh bool, err error) {
	_, err = tx.Exec(`
		DELETE FROM passkey_challenges
		WHERE hash IN (
			SELECT hash
			FROM passkey_challenges
			WHERE expires_at <= ?
			ORDER BY expires_at
			LIMIT 100
		)`, db.Millis(tx.Now().Add(-challengeLifetime)))
	if err != nil {
		return false, fmt.Errorf("prune used challenges: %w", err)
	}
	n, err := tx.Exec(`
		INSERT INTO passkey_challenges (hash, expires_at)
		VALUES (?, ?)
		ON CONFLICT (hash) DO NOTHING`, c.hash, db.Millis(c.expires))
	if err != nil {
		return false, fmt.Errorf("use challenge: %w", err)
	}
	return n > 0, nil
}
