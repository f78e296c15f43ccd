package provider

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
)

// EqualSecrets reports whether sent is the configured secret, in constant time. A blank secret
// equals nothing.
func EqualSecrets(secret, sent string) bool {
	want, got := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(sent))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1 && secret != ""
}

// ForgedSecret returns the wrong secret with which the program tests that a webhook address rejects
// forgeries. Computing it requires the secret, so attacks are distinguished from these tests.
func ForgedSecret(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("forged"))
	return hex.EncodeToString(mac.Sum(nil))
}

// IsForgedSecret reports whether sent is the [ForgedSecret] of secret.
func IsForgedSecret(secret, sent string) bool {
	return secret != "" && EqualSecrets(ForgedSecret(secret), sent)
}
