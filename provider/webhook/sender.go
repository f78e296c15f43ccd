// Package webhook sends webhooks as Standard Webhooks 1.0 specifies it
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
package webhook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"storefront/provider"
	"storefront/shop/endpoint"
)

const (
	defaultTimeout = 15 * time.Second
	maxResponse    = 2 << 10 // bytes; the rest is not read
)

// Sender sends webhooks. Create one with [New].
type Sender struct{ client *provider.Client }

// New returns a sender. Unless cfg allows it, it connects to no private or reserved address, also
// if a name resolves to one only when it is dialled. It follows no redirect. The timeout of cfg is
// 15 s if it is 0, and its limit of the response is ignored.
func New(cfg provider.ClientConfig) *Sender {
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	cfg.MaxResponse, cfg.CutResponse = maxResponse, true
	return &Sender{provider.NewClient(cfg)}
}

// Send implements [endpoint.Sender].
func (s *Sender) Send(ctx context.Context, w endpoint.Webhook) (endpoint.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(w.Body))
	if err != nil {
		return endpoint.Response{}, err
	}
	at := strconv.FormatInt(w.At.Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("webhook-id", w.ID)
	req.Header.Set("webhook-timestamp", at)
	signatures := make([]string, len(w.Keys))
	for i, key := range w.Keys {
		signatures[i] = sign(key, w.ID, at, w.Body)
	}
	req.Header.Set("webhook-signature", strings.Join(signatures, " "))
	resp, err := s.client.Do(req)
	if err != nil {
		return endpoint.Response{}, err
	}
	return endpoint.Response{Status: resp.Status, Body: resp.Body, RetryAfter: provider.RetryAfter(resp.Header, w.At)}, nil
}

// sign returns the signature of a webhook by one key.
func sign(key []byte, id, at string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
