package staff

import (
	"net/url"
	"testing"
	"time"
)

// The vectors of RFC 6238, appendix B, for SHA-1, in six digits.
func TestTOTP_Vectors(t *testing.T) {
	t.Parallel()
	secret := []byte("12345678901234567890")
	for at, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	} {
		if got := totpCode(secret, totpStep(time.Unix(at, 0))); got != want {
			t.Errorf("at %d: got %s, want %s", at, got, want)
		}
	}
}

// A code is accepted one step early and one late, and none that is not later than the last one.
func TestTOTP_Window(t *testing.T) {
	t.Parallel()
	secret, at := []byte("12345678901234567890"), time.Unix(1111111111, 0)
	now := totpStep(at)
	for offset := int64(-3); offset <= 3; offset++ {
		step, ok := matchTOTP(secret, totpCode(secret, now+offset), at, 0)
		if want := offset >= -1 && offset <= 1; ok != want || ok && step != now+offset {
			t.Errorf("step %+d: got %d, %v, want %v", offset, step-now, ok, want)
		}
	}
	for _, last := range []int64{now, now + 1} {
		if _, ok := matchTOTP(secret, totpCode(secret, now), at, last); ok {
			t.Errorf("after step %+d: got the code accepted again", last-now)
		}
	}
}

func TestTOTP_URI(t *testing.T) {
	t.Parallel()
	got, err := url.Parse(totpURI([]byte("12345678901234567890"), "Rina & Sons", "rina@example.com"))
	if err != nil || got.Scheme != "otpauth" || got.Host != "totp" || got.Path != "/Rina & Sons:rina@example.com" {
		t.Errorf("got %v, %v", got, err)
	}
	if q := got.Query(); q.Get("secret") != "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" || q.Get("issuer") != "Rina & Sons" || q.Get("digits") != "6" {
		t.Errorf("got the query %v", q)
	}
}
