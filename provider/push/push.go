// Package push sends notifications to browsers by Web Push: RFC 8030, with the encryption of RFC
// 8291 and the identification of RFC 8292. A browser's push service can read neither text nor shop.
package push

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"storefront/provider"
	"storefront/shop/notify"
)

const (
	timeout     = 8 * time.Second
	maxResponse = 2 << 10 // bytes; the rest is not read

	// Limits of the texts in a notification, in characters. Each has at most 6 bytes in JSON, so a
	// message always has room for them and for a URL. Browsers show less.
	maxTitle = 160
	maxLines = 240
	maxShop  = 120
)

// Sender sends notifications to push services. Create one with [New].
type Sender struct {
	client  *provider.Client
	contact string
	now     func() time.Time
}

// New returns a sender. Unless cfg allows it, it connects to no private or reserved address: the
// address of a push service comes from a browser. contact is a URL, https or mailto, at which a
// push service reaches the operator. The timeout and the limit of the response in cfg are ignored.
func New(cfg provider.ClientConfig, contact string, now func() time.Time) *Sender {
	cfg.Timeout, cfg.MaxResponse, cfg.CutResponse = timeout, maxResponse, true
	return &Sender{provider.NewClient(cfg), contact, now}
}

// payload is the input of the dashboard's service worker.
type payload struct {
	Title    string `json:"title"`
	Body     string `json:"body"`
	URL      string `json:"url"`
	Tag      string `json:"tag"` // of one event: a second copy replaces the first
	Language string `json:"lang"`
}

// Notify implements [notify.Notifier].
func (s *Sender) Notify(ctx context.Context, m notify.Message) error {
	lines := cut(m.Shop, maxShop)
	if m.Body != "" {
		lines = cut(m.Body, maxLines) + "\n" + lines
	}
	text, err := json.Marshal(payload{cut(m.Title, maxTitle), lines, m.URL, m.ID, m.Language})
	if err != nil {
		return fmt.Errorf("encode notification: %w", err)
	}
	body, err := encrypt(text, m.To.PublicKey, m.To.Auth)
	if err != nil {
		return &notify.Error{Gone: !errors.Is(err, errTooLong), Refused: true, Err: err} // gone: the browser's keys are useless
	}
	identity, err := identify(m.To.Credential, m.To.Address, s.contact, s.now())
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.To.Address, bytes.NewReader(body))
	if err != nil {
		return &notify.Error{Gone: true, Err: err}
	}
	topic := sha256.Sum256([]byte(m.ID))
	req.Header.Set("Authorization", identity)
	req.Header.Set("Content-Encoding", "aes128gcm")
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("TTL", strconv.Itoa(int(m.Lifetime/time.Second)))
	req.Header.Set("Urgency", "high")
	req.Header.Set("Topic", base64.RawURLEncoding.EncodeToString(topic[:24])) // 32 characters
	resp, err := s.client.Do(req)
	if err != nil {
		return &notify.Error{Err: err}
	}
	return result(resp, s.now())
}

// cut returns a text of at most limit characters, with an ellipsis in place of the rest.
func cut(text string, limit int) string {
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}

// result returns the error of a push service's response, nil if it has accepted the message.
func result(resp *provider.Response, now time.Time) error {
	if resp.Status/100 == 2 {
		return nil
	}
	e := &notify.Error{
		Err: fmt.Errorf("the push service responded with the status %d", resp.Status), RetryAfter: provider.RetryAfter(resp.Header, now),
	}
	switch resp.Status {
	case http.StatusNotFound, http.StatusGone:
		e.Gone = true
	case http.StatusTooManyRequests:
	default:
		e.Refused = resp.Status/100 == 4
	}
	return e
}

// origin returns the scheme and the host of a URL.
func origin(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	return u.Scheme + "://" + u.Host, nil
}
