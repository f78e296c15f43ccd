package passkey_test

import (
	"encoding/base64"
	"testing"
	"time"

	"storefront/shop/fault"
	"storefront/shop/passkey"
	"storefront/shop/shoptest"
	"storefront/shop/throttle"
)

const origin = "https://shop.example"

func TestSiteOf(t *testing.T) {
	t.Parallel()
	for origin, host := range map[string]string{
		"https://Shop.Example": "shop.example", "https://shop.example:8443": "shop.example", "http://localhost:8080": "localhost",
		"http://acme.localhost": "acme.localhost", "https://দোকান.example": "দোকান.example",
		"http://shop.example": "", "https://192.0.2.1": "", "https://[2001:db8::1]": "", "https://": "", "": "", "null": "", "shop.example": "",
		"http://notlocalhost": "", "ftp://localhost": "", "https://shop.example:port": "",
	} {
		site, err := passkey.SiteOf(origin)
		if code := shoptest.ErrorCode(err); site.Host() != host || (host == "") != (code == fault.CodeStateConflict) {
			t.Errorf("%s: got %q, %v, want %q", origin, site.Host(), err, host)
		}
	}
}

// ceremony returns a ceremony with its challenge and the client data that an authenticator signs.
func ceremony(tb testing.TB, purpose passkey.Purpose, at, subject, key string, now time.Time) (c passkey.Ceremony, challenge string, data []byte) {
	tb.Helper()
	site, err := passkey.SiteOf(at)
	if err != nil {
		tb.Fatal(err)
	}
	c = passkey.Ceremony{Purpose: purpose, Site: site, Subject: subject, Keys: throttle.NewSource([]byte(key))}
	challenge = c.NewChallenge(now)
	return c, challenge, []byte(`{"challenge":"` + challenge + `"}`)
}

// A challenge is valid for its own ceremony, for five minutes.
func TestCeremony_FindChallenge(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	c, _, data := ceremony(t, passkey.ToProve, origin, "session", "key", now)
	for _, after := range []time.Duration{0, 5*time.Minute - time.Second} {
		if _, ok := c.FindChallenge(data, now.Add(after)); !ok {
			t.Errorf("after %s: got no challenge", after)
		}
	}
	if _, ok := c.FindChallenge(data, now.Add(5*time.Minute)); ok {
		t.Error("got an expired challenge")
	}
	for name, other := range map[string]struct {
		purpose              passkey.Purpose
		origin, subject, key string
	}{
		"purpose": {passkey.ToSignIn, origin, "session", "key"}, "page": {passkey.ToProve, origin + ":8443", "session", "key"},
		"session": {passkey.ToProve, origin, "another", "key"}, "shop": {passkey.ToProve, origin, "session", "another"},
	} {
		_, _, data := ceremony(t, other.purpose, other.origin, other.subject, other.key, now)
		if _, ok := c.FindChallenge(data, now); ok {
			t.Errorf("another %s: got the challenge", name)
		}
	}
	for _, text := range []string{"", "{", `{"challenge":7}`, `{"challenge":""}`, `{"challenge":"AAAA"}`, `{"challenge":"*"}`} {
		if _, ok := c.FindChallenge([]byte(text), now); ok {
			t.Errorf("%s: got a challenge", text)
		}
	}
}

// Nothing that a client sends in place of a passkey ends the program, or is accepted.
func FuzzVerify(f *testing.F) {
	now := time.Unix(1_800_000_000, 0)
	device := shoptest.NewAuthenticator(f, origin)
	c, text, data := ceremony(f, passkey.ToAdd, origin, "", "key", now)
	challenge, _ := c.FindChallenge(data, now)
	created := device.Create(f, &passkey.CreationOptions{Challenge: text, User: passkey.NewUser([]byte("handle"), "", "")})
	row, err := c.Site.Verify(challenge, []byte("handle"), created)
	if err != nil {
		f.Fatal(err)
	}
	signed := device.Sign(f, &passkey.RequestOptions{Challenge: text})
	if _, err := c.Site.Check(challenge, &row, signed); err != nil {
		f.Fatal(err)
	}
	decode := func(text string) []byte {
		raw, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			f.Fatal(err)
		}
		return raw
	}
	f.Add(decode(created.ClientDataJSON), decode(created.AttestationObject), []byte{})
	f.Add(decode(signed.ClientDataJSON), decode(signed.AuthenticatorData), decode(signed.Signature))
	other, _, data := ceremony(f, passkey.ToAdd, origin, "", "another", now) // of which the fuzzer has no answer
	unknown, _ := other.FindChallenge(data, now)
	f.Fuzz(func(t *testing.T, client, object, signature []byte) {
		encode := base64.RawURLEncoding.EncodeToString
		if _, err := c.Site.Verify(unknown, []byte("handle"), passkey.Attestation{
			ID: created.ID, ClientDataJSON: encode(client), AttestationObject: encode(object),
		}); shoptest.ErrorCode(err) != fault.CodeInvalidCredentials {
			t.Errorf("created: got %v", err)
		}
		row := row
		if _, err := c.Site.Check(unknown, &row, passkey.Assertion{
			ID: created.ID, ClientDataJSON: encode(client), AuthenticatorData: encode(object), Signature: encode(signature),
		}); shoptest.ErrorCode(err) != fault.CodeInvalidCredentials {
			t.Errorf("signed: got %v", err)
		}
	})
}
