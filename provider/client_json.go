package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"storefront/shop/plugin"
)

// CallJSON sends in as JSON and returns the response with any status. A nil in sends no body.
// Errors are of type [*Error], unless in cannot be encoded or address is not a URL.
func (c *Client) CallJSON(ctx context.Context, method, address string, header map[string]string, in any) (*Response, error) {
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, address, &body)
	if err != nil {
		return nil, fmt.Errorf("create request: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	return c.Do(req)
}

// Redact prepares a provider's message for people: it replaces the values of settings and the other
// secrets, also in the encoding of a URL or of JSON, and shortens the rest to one line of at most
// 300 characters. Values of up to three bytes are not replaced.
func Redact(settings plugin.Settings, message string, secrets ...string) string {
	var values []string
	for _, value := range slices.AppendSeq(secrets, maps.Values(settings)) {
		if len(value) > 3 {
			quoted, _ := json.Marshal(value) // a string always encodes
			values = append(values, value, url.QueryEscape(value), url.PathEscape(value), strings.Trim(string(quoted), `"`))
		}
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // one may be part of another
	for _, value := range values {
		message = strings.ReplaceAll(message, value, "***")
	}
	message = strings.Join(strings.Fields(strings.ToValidUTF8(message, "\uFFFD")), " ")
	const maxRunes = 300
	if runes := []rune(message); len(runes) > maxRunes {
		message = string(runes[:maxRunes]) + "…"
	}
	return message
}
