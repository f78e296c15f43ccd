package staff

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"time"
)

// Time-based one-time passwords by RFC 6238, as in every authenticator app. They are a dozen lines
// of the standard library: a dependency would add more than it saves.
const (
	totpBytes  = 20 // of a secret, the size of a SHA-1 hash
	totpDigits = 6
	totpPeriod = 30 * time.Second
	totpSkew   = 1 // steps before and after the present one that are accepted
)

// totpStep returns the time step of a time.
func totpStep(at time.Time) int64 { return at.Unix() / int64(totpPeriod/time.Second) }

// totpCode returns the code of a time step.
func totpCode(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	number := binary.BigEndian.Uint32(sum[sum[len(sum)-1]&15:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", totpDigits, number%1_000_000)
}

// matchTOTP returns the time step of a code, among the steps that are accepted at a time and later
// than the last accepted one.
func matchTOTP(secret []byte, code string, at time.Time, last int64) (step int64, ok bool) {
	present := totpStep(at)
	for candidate := present - totpSkew; candidate <= present+totpSkew; candidate++ {
		if candidate > last && subtle.ConstantTimeCompare([]byte(totpCode(secret, candidate)), []byte(code)) == 1 {
			return candidate, true
		}
	}
	return 0, false
}

var base32Text = base32.StdEncoding.WithPadding(base32.NoPadding)

// totpURI returns the address that an authenticator app reads from a QR code.
func totpURI(secret []byte, shop, user string) string {
	query := url.Values{
		"secret": {base32Text.EncodeToString(secret)}, "issuer": {shop}, "algorithm": {"SHA1"}, "digits": {"6"}, "period": {"30"},
	}
	// Apps show a plus sign in the issuer as such, so a space is %20.
	return (&url.URL{
		Scheme: "otpauth", Host: "totp", Path: "/" + shop + ":" + user, RawQuery: spacesEscaped(query.Encode()),
	}).String()
}
