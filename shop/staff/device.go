package staff

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"time"

	"storefront/shop/throttle"
)

// deviceLifetime is the time for which a device at which a staff member signed in is known.
const deviceLifetime = 90 * 24 * time.Hour

// deviceRandom is the number of random bytes that identify a device.
const deviceRandom = 12

// A known device holds a signed token, beside the session and longer than it. The token signs
// nobody in: wrong passwords from everywhere do not hold the device back, since it has a limit of
// its own. So it need not be revoked.

// NewDevice returns the token of a device at which a staff member has just signed in.
func (s *Staff) NewDevice(ctx context.Context, memberID string) (string, error) {
	source, err := s.throttles(ctx)
	if err != nil {
		return "", err
	}
	return newDevice(source, memberID, s.cfg.Now()), nil
}

func newDevice(source throttle.Source, memberID string, now time.Time) string {
	body := binary.BigEndian.AppendUint64(nil, uint64(now.Add(deviceLifetime).Unix()))
	random := make([]byte, deviceRandom)
	rand.Read(random)
	body = append(body, random...)
	return base64.RawURLEncoding.EncodeToString(append(body, deviceMAC(source, memberID, body)...))
}

// findDevice returns the identity of a staff member's known device, by its token. It is "" for
// anything else.
func findDevice(source throttle.Source, token, memberID string, now time.Time) string {
	const bodyBytes = 8 + deviceRandom
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) <= bodyBytes || memberID == "" {
		return ""
	}
	body, mac := raw[:bodyBytes], raw[bodyBytes:]
	expires := time.Unix(int64(binary.BigEndian.Uint64(body)), 0)
	if !hmac.Equal(mac, deviceMAC(source, memberID, body)) || !now.Before(expires) {
		return ""
	}
	return string(body)
}

func deviceMAC(source throttle.Source, memberID string, body []byte) []byte {
	return source.Hash("staff device token", memberID, string(body))
}
