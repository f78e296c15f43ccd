package push

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"storefront/provider"
	"storefront/provider/push/pushtest"
	"storefront/shop/notify"
)

func decode(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The example of RFC 8291, appendix A.
const (
	exampleText    = "When I grow up, I want to be a watermelon"
	exampleLocal   = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
	examplePublic  = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	examplePrivate = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
	exampleAuth    = "BTBZMqHH6r4Tts7J_aSIgg"
	exampleSalt    = "DGv6ra1nlYgDCS1FRnbzlw"
	exampleMessage = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_" +
		"yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)

func TestEncrypt_RFC8291(t *testing.T) {
	t.Parallel()
	local, err := ecdh.P256().NewPrivateKey(decode(t, exampleLocal))
	if err != nil {
		t.Fatal(err)
	}
	got, err := encryptWith([]byte(exampleText), decode(t, examplePublic), decode(t, exampleAuth), local, decode(t, exampleSalt))
	if err != nil {
		t.Fatal(err)
	}
	if text := base64.RawURLEncoding.EncodeToString(got); text != exampleMessage {
		t.Errorf("got  %s\nwant %s", text, exampleMessage)
	}
}

// open decrypts a message as a browser does.
func open(t *testing.T, body []byte, private *ecdh.PrivateKey, auth []byte) []byte {
	t.Helper()
	text, err := pushtest.Open(body, private, auth)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Each message has a key and a salt of its own, and the longest is one record.
func TestEncrypt_Fresh(t *testing.T) {
	t.Parallel()
	private, err := ecdh.P256().NewPrivateKey(decode(t, examplePrivate))
	if err != nil {
		t.Fatal(err)
	}
	auth := decode(t, exampleAuth)
	text := bytes.Repeat([]byte("x"), maxText)
	first, err := encrypt(text, private.PublicKey().Bytes(), auth)
	if err != nil {
		t.Fatal(err)
	}
	second, err := encrypt(text, private.PublicKey().Bytes(), auth)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(first[:16], second[:16]) || bytes.Equal(first[21:86], second[21:86]) {
		t.Error("got the same salt or key twice")
	}
	if len(first) != recordSize || !bytes.Equal(open(t, first, private, auth), text) {
		t.Errorf("got a message of %d bytes, want one record that can be decrypted", len(first))
	}
	if _, err := encrypt(append(text, 'x'), private.PublicKey().Bytes(), auth); err == nil {
		t.Error("got a longer text accepted")
	}
	if _, err := encrypt(text, private.PublicKey().Bytes()[:64], auth); err == nil {
		t.Error("got an invalid key accepted")
	}
}

// service is a push service.
type service struct {
	*httptest.Server
	header http.Header
	body   []byte
	answer func(w http.ResponseWriter)
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.header = r.Header
		s.body, _ = io.ReadAll(r.Body)
		if s.answer != nil {
			s.answer(w)
			return
		}
		w.WriteHeader(http.StatusCreated)
	}))
	t.Cleanup(s.Close)
	return s
}

// newKeys returns the shop's key, the same as a credential, and a browser's.
func newKeys(t *testing.T) (key *ecdsa.PrivateKey, credential []byte, browser *ecdh.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if credential, err = key.Bytes(); err != nil {
		t.Fatal(err)
	}
	if browser, err = ecdh.P256().GenerateKey(rand.Reader); err != nil {
		t.Fatal(err)
	}
	return key, credential, browser
}

// A push service can verify who sends, and reads neither text nor shop.
func TestSender_Notify(t *testing.T) {
	t.Parallel()
	s := newService(t)
	key, raw, browser := newKeys(t)
	auth := decode(t, exampleAuth)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	sender := New(provider.ClientConfig{AllowPrivate: true}, "https://shop.example", func() time.Time { return now })
	m := notify.Message{
		ID: "event_7", Shop: "Acme", Title: "New order 1042", Body: "৳1,250.00 · Dhaka", URL: "/admin/#/acme/order/X", Language: "en",
		Lifetime: 4 * time.Hour,
		To:       notify.Target{Address: s.URL + "/send/abc", PublicKey: browser.PublicKey().Bytes(), Auth: auth, Credential: raw},
	}
	if err := sender.Notify(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"Content-Encoding": "aes128gcm", "Ttl": "14400", "Urgency": "high"} {
		if got := s.header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if topic := s.header.Get("Topic"); len(topic) != 32 {
		t.Errorf("got the topic %q, want 32 characters", topic)
	}
	token, public, _ := strings.Cut(strings.TrimPrefix(s.header.Get("Authorization"), "vapid t="), ", k=")
	parts := strings.Split(token, ".")
	signature := decode(t, parts[2])
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	known, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), decode(t, public))
	if err != nil {
		t.Fatal(err)
	}
	r, v := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	if !known.Equal(&key.PublicKey) || len(signature) != 64 || !ecdsa.Verify(known, digest[:], r, v) {
		t.Error("got an invalid signature")
	}
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	if err := json.Unmarshal(decode(t, parts[1]), &claims); err != nil {
		t.Fatal(err)
	}
	if claims.Aud != s.URL || claims.Sub != "https://shop.example" || claims.Exp <= now.Unix() || claims.Exp > now.Add(24*time.Hour).Unix() {
		t.Errorf("got claims %+v", claims)
	}
	if got := string(decode(t, parts[0])); got != `{"typ":"JWT","alg":"ES256"}` {
		t.Errorf("got the header %s", got)
	}
	var got payload
	if err := json.Unmarshal(open(t, s.body, browser, auth), &got); err != nil {
		t.Fatal(err)
	}
	if want := (payload{"New order 1042", "৳1,250.00 · Dhaka\nAcme", "/admin/#/acme/order/X", "event_7", "en"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	topic := s.header.Get("Topic")
	if err := sender.Notify(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if s.header.Get("Topic") != topic {
		t.Error("got another topic for the same event, want the push service to replace the first message")
	}
}

// The longest texts fit in a message, and one that does not is refused: its browser stays.
func TestSender_Size(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, raw, browser := newKeys(t)
	auth := decode(t, exampleAuth)
	sender := New(provider.ClientConfig{AllowPrivate: true}, "https://shop.example", time.Now)
	m := notify.Message{
		ID: "event_7", Shop: strings.Repeat("দো", 5000), Title: strings.Repeat("<", 5000), Body: strings.Repeat("\u2028", 5000),
		URL: "/admin/#/acme/order/7ZK3QW8N5T2M4R6V", Language: "bn",
		To: notify.Target{Address: s.URL + "/send/abc", PublicKey: browser.PublicKey().Bytes(), Auth: auth, Credential: raw},
	}
	if err := sender.Notify(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	var got payload
	if err := json.Unmarshal(open(t, s.body, browser, auth), &got); err != nil {
		t.Fatal(err)
	}
	if got.Title != strings.Repeat("<", 159)+"…" || !strings.HasSuffix(got.Body, "দ…") || got.URL != m.URL {
		t.Errorf("got %+v, want the texts cut", got)
	}
	m.URL = strings.Repeat("x", maxText)
	if e, ok := errors.AsType[*notify.Error](sender.Notify(t.Context(), m)); !ok || !e.Refused || e.Gone {
		t.Errorf("got %+v, want a text that is too long refused", e)
	}
	m.URL, m.To.PublicKey = "", m.To.PublicKey[:64]
	if e, ok := errors.AsType[*notify.Error](sender.Notify(t.Context(), m)); !ok || !e.Gone {
		t.Errorf("got %+v, want a browser with invalid keys gone", e)
	}
}

// What a push service answers decides whether a browser is removed, or the message is sent again.
func TestSender_Answers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := key.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m := notify.Message{ID: "event_7", To: notify.Target{
		Address: s.URL + "/send/secret", PublicKey: decode(t, examplePublic), Auth: decode(t, exampleAuth), Credential: raw,
	}}
	sender := New(provider.ClientConfig{AllowPrivate: true}, "mailto:a@example.com", time.Now)
	for status, want := range map[int]notify.Error{
		404: {Gone: true}, 410: {Gone: true}, 400: {Refused: true}, 403: {Refused: true}, 413: {Refused: true},
		429: {RetryAfter: time.Minute}, 500: {RetryAfter: time.Minute}, 302: {RetryAfter: time.Minute},
	} {
		s.answer = func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "60")
			w.Header().Set("Location", "http://127.0.0.1/elsewhere")
			w.WriteHeader(status)
		}
		got, ok := errors.AsType[*notify.Error](sender.Notify(t.Context(), m))
		if !ok || got.Gone != want.Gone || got.Refused != want.Refused || want.RetryAfter != 0 && got.RetryAfter != want.RetryAfter {
			t.Errorf("%d: got %+v, want %+v", status, got, want)
		}
	}
	// The address of a push service comes from a browser.
	guarded := New(provider.ClientConfig{}, "mailto:a@example.com", time.Now)
	for _, address := range []string{s.URL, "http://localhost:1/", "http://169.254.169.254/latest"} {
		m.To.Address = address
		if err := guarded.Notify(context.Background(), m); !errors.Is(err, provider.ErrAddressNotAllowed) {
			t.Errorf("%s: got %v, want it refused", address, err)
		}
	}
}
