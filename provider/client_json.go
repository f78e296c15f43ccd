package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"storefront/shop"
)

// CallJSON sends in, or nothing where it is nil, and reads the answer, whatever its status.
// Any error is an [*Error], but where in can not be written or the address is none.
func (c *Client) CallJSON(ctx context.Context, method, address string, header map[string]string, in any) (*Response, error) {
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return nil, fmt.Errorf("write request: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, address, &body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
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

// Redact takes the values of settings out of a provider's words, which may repeat what was sent,
// and cuts them to a line for people.
func Redact(settings shop.PluginSettings, words string) string {
	for _, value := range settings {
		if len(value) > 3 {
			words = strings.ReplaceAll(words, value, "***")
		}
	}
	words = strings.Join(strings.Fields(strings.ToValidUTF8(words, "\uFFFD")), " ")
	const most = 300
	if runes := []rune(words); len(runes) > most {
		words = string(runes[:most]) + "…"
	}
	return words
}
