// Package pushtest is a browser with its push service, for tests.
package pushtest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Notification is the input of a browser's service worker.
type Notification struct {
	Title, Body, URL, Tag, Lang string
}

// Received is a message at the push service, with its decrypted payload.
type Received struct {
	Notification
	Header http.Header
	Sealed []byte // encrypted
}

// Browser is a browser that has subscribed to push messages, with its push service.
type Browser struct {
	*httptest.Server
	private *ecdh.PrivateKey
	auth    []byte

	mu     sync.Mutex
	got    []Received
	answer func(n int, w http.ResponseWriter)
	faults []error
}

// New returns a browser with a push service that accepts every message. It ends with the test,
// which fails if a message could not be decrypted.
func New(tb testing.TB) *Browser {
	tb.Helper()
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	b := &Browser{private: private, auth: make([]byte, 16)}
	rand.Read(b.auth)
	b.Server = httptest.NewServer(http.HandlerFunc(b.serve))
	tb.Cleanup(func() {
		b.Close()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, err := range b.faults {
			tb.Errorf("push message: %v", err)
		}
	})
	return b
}

func (b *Browser) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	got := Received{Header: r.Header, Sealed: body}
	if err == nil {
		var text []byte
		if text, err = b.Open(body); err == nil {
			err = json.Unmarshal(text, &got.Notification)
		}
	}
	b.mu.Lock()
	if err != nil {
		b.faults = append(b.faults, err)
	}
	b.got = append(b.got, got)
	n, answer := len(b.got), b.answer
	b.mu.Unlock()
	if answer == nil {
		w.WriteHeader(http.StatusCreated)
		return
	}
	answer(n, w)
}

// Answer sets the push service's response to the n-th message, from 1; nil accepts every message.
func (b *Browser) Answer(fn func(n int, w http.ResponseWriter)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = fn
}

// All returns the messages so far.
func (b *Browser) All() []Received {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.got)
}

// Wait waits for the n-th message, from 1, and returns it.
func (b *Browser) Wait(tb testing.TB, n int) Received {
	tb.Helper()
	for range 1000 {
		if all := b.All(); len(all) >= n {
			return all[n-1]
		}
		time.Sleep(10 * time.Millisecond)
	}
	tb.Fatalf("got %d push messages, want %d", len(b.All()), n)
	return Received{}
}

// Endpoint is the URL of the subscription.
func (b *Browser) Endpoint() string { return b.URL + "/send/7Xb2" }

// Keys returns the keys of the subscription, in base64url.
func (b *Browser) Keys() (public, auth string) {
	return base64.RawURLEncoding.EncodeToString(b.private.PublicKey().Bytes()), base64.RawURLEncoding.EncodeToString(b.auth)
}

// Open decrypts a message, as RFC 8291 specifies it.
func (b *Browser) Open(body []byte) ([]byte, error) { return Open(body, b.private, b.auth) }

// Open decrypts a message by the keys of a subscription.
func Open(body []byte, private *ecdh.PrivateKey, auth []byte) ([]byte, error) {
	const header = 16 + 4 + 1
	if len(body) < header || len(body) < header+int(body[header-1]) {
		return nil, fmt.Errorf("message of %d bytes: too short", len(body))
	}
	salt, remote, sealed := body[:16], body[header:header+int(body[header-1])], body[header+int(body[header-1]):]
	key, err := ecdh.P256().NewPublicKey(remote)
	if err != nil {
		return nil, err
	}
	shared, err := private.ECDH(key)
	if err != nil {
		return nil, err
	}
	input, err := hkdf.Key(sha256.New, shared, auth, "WebPush: info\x00"+string(private.PublicKey().Bytes())+string(remote), 32)
	if err != nil {
		return nil, err
	}
	content, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(content)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	text, err := aead.Open(nil, nonce, sealed, nil)
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(text, 2)
	if end < 0 {
		return nil, fmt.Errorf("message without its end")
	}
	return text[:end], nil
}
