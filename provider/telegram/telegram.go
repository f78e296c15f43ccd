// Package telegram sends notifications by a shop's own bot (https://core.telegram.org/bots/api).
package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"storefront/provider"
	"storefront/shop/notify"
)

// DefaultAddress is the address of Telegram's API.
const DefaultAddress = "https://api.telegram.org"

const timeout = 8 * time.Second

// tokenPattern is the form of a bot's token, which is part of the path of requests.
var tokenPattern = regexp.MustCompile(`^[0-9]{3,20}:[A-Za-z0-9_-]{20,100}$`)

// Bot calls Telegram's API. Create one with [New].
type Bot struct {
	client  *provider.Client
	address string
}

// New returns a client of the API at an address, "" for Telegram's own. Only the operator sets it.
// The timeout in cfg is ignored.
func New(cfg provider.ClientConfig, address string) *Bot {
	cfg.Timeout = timeout
	if address == "" {
		address = DefaultAddress
	}
	return &Bot{provider.NewClient(cfg), address}
}

// response is the envelope of the API's responses.
type response struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int64 `json:"retry_after"` // in seconds
	} `json:"parameters"`
}

// call calls a method of the API. Errors are of type [*notify.Error] and do not contain the token.
func (b *Bot) call(ctx context.Context, token, method string, in, out any) error {
	if !tokenPattern.MatchString(token) {
		return &notify.Error{Refused: true, Err: errors.New("the token must be as BotFather shows it, such as 123456:ABC-DEF")}
	}
	resp, err := b.client.CallJSON(ctx, http.MethodPost, b.address+"/bot"+token+"/"+method, nil, in)
	if err != nil {
		if e, ok := errors.AsType[*provider.Error](err); ok {
			e.Path = "/bot…/" + method // the token is a secret
		}
		return &notify.Error{Err: err}
	}
	var r response
	if err := json.Unmarshal(resp.Body, &r); err != nil {
		return &notify.Error{Err: fmt.Errorf("telegram responded with the status %d, not in JSON", resp.Status)}
	}
	if r.OK {
		if out == nil {
			return nil
		}
		if err := json.Unmarshal(r.Result, out); err != nil {
			return &notify.Error{Err: fmt.Errorf("telegram's response to %s has another form than expected", method)}
		}
		return nil
	}
	text := provider.Redact(nil, r.Description, token)
	e := &notify.Error{Err: fmt.Errorf("telegram: %s", text), RetryAfter: time.Duration(max(r.Parameters.RetryAfter, 0)) * time.Second}
	switch {
	case r.Code == http.StatusForbidden, r.Code == http.StatusBadRequest && strings.Contains(strings.ToLower(text), "chat not found"):
		e.Gone = true // the bot was blocked, or the chat deleted
	case r.Code/100 == 4 && r.Code != http.StatusTooManyRequests:
		e.Refused = true
	}
	return e
}

// Notify implements [notify.Notifier].
func (b *Bot) Notify(ctx context.Context, m notify.Message) error {
	chat, err := strconv.ParseInt(m.To.Address, 10, 64)
	if err != nil {
		return &notify.Error{Gone: true, Err: fmt.Errorf("chat: %w", err)}
	}
	lines := []string{m.Title, m.Body, m.URL}
	text := strings.Join(deleteEmpty(lines), "\n")
	return b.call(ctx, string(m.To.Credential), "sendMessage", map[string]any{
		"chat_id": chat, "text": text, "link_preview_options": map[string]any{"is_disabled": true},
	}, nil)
}

func deleteEmpty(lines []string) (kept []string) {
	for _, line := range lines {
		if line != "" {
			kept = append(kept, line)
		}
	}
	return kept
}

// Name implements [notify.Bot].
func (b *Bot) Name(ctx context.Context, token string) (string, error) {
	var me struct {
		Username string `json:"username"`
	}
	if err := b.call(ctx, token, "getMe", struct{}{}, &me); err != nil {
		return "", err
	}
	return me.Username, nil
}

// Received implements [notify.Bot].
func (b *Bot) Received(ctx context.Context, token string) ([]notify.BotMessage, error) {
	var updates []struct {
		Message struct {
			Text string `json:"text"`
			Chat struct {
				ID       int64  `json:"id"`
				Type     string `json:"type"`
				Name     string `json:"first_name"`
				Username string `json:"username"`
			} `json:"chat"`
		} `json:"message"`
	}
	// The last hundred: older ones are of no use and are discarded.
	err := b.call(ctx, token, "getUpdates", map[string]any{"offset": -100, "limit": 100, "allowed_updates": []string{"message"}}, &updates)
	if err != nil {
		return nil, err
	}
	var list []notify.BotMessage
	for _, u := range updates {
		if c := u.Message.Chat; c.Type == "private" {
			name := c.Name
			if c.Username != "" {
				name = "@" + c.Username
			}
			list = append(list, notify.BotMessage{Chat: strconv.FormatInt(c.ID, 10), Name: name, Text: u.Message.Text})
		}
	}
	return list, nil
}
