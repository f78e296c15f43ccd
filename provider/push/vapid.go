package push

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"
)

// identityLifetime is how long a push service may accept a token; RFC 8292 permits a day.
const identityLifetime = 12 * time.Hour

// identify returns the Authorization header that identifies a shop to the push service at an
// address: a JSON Web Token signed by ES256 with the shop's key, and the public key.
func identify(key []byte, address, contact string, now time.Time) (string, error) {
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), key)
	if err != nil {
		return "", fmt.Errorf("key of push messages: %w", err)
	}
	public, err := private.PublicKey.Bytes()
	if err != nil {
		return "", fmt.Errorf("key of push messages: %w", err)
	}
	audience, err := origin(address)
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(struct {
		Audience string `json:"aud"`
		Expires  int64  `json:"exp"`
		Subject  string `json:"sub"`
	}{audience, now.Add(identityLifetime).Unix(), contact})
	if err != nil {
		return "", fmt.Errorf("encode token: %w", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, private, digest[:])
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	var signature [64]byte
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return "vapid t=" + signed + "." + encode(signature[:]) + ", k=" + encode(public), nil
}
