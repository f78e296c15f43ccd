package couriera

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"storefront/provider"
	"storefront/shop"
)

// tokens are what the courier gives for the credentials. The plugin's memory keeps them.
type tokens struct {
	Access    string    `json:"access"`
	Refresh   string    `json:"refresh"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// renewMargin is how long before its end a token is renewed.
const renewMargin = 5 * time.Minute

// token gives an access token: the one in memory, or with fresh a new one.
func (a *api) token(ctx context.Context, access shop.PluginAccess, fresh bool) (string, error) {
	var known tokens
	saved, err := access.State.Load(ctx)
	if err != nil {
		return "", fmt.Errorf("load token: %w", err)
	}
	if saved != nil {
		if err := json.Unmarshal(saved, &known); err != nil {
			known = tokens{} // as good as none
		}
	}
	if known.Access != "" && !fresh && a.now().Add(renewMargin).Before(known.ExpiresAt) {
		return known.Access, nil
	}
	renewed, err := a.renew(ctx, access, known.Refresh)
	if err != nil {
		return "", err
	}
	value, err := json.Marshal(renewed)
	if err != nil {
		return "", fmt.Errorf("write token: %w", err)
	}
	if err := access.State.Save(ctx, value); err != nil {
		return "", fmt.Errorf("save token: %w", err)
	}
	return renewed.Access, nil
}

// renew asks with the refresh token, where there is one, and else or when it is refused with the
// merchant's credentials.
func (a *api) renew(ctx context.Context, access shop.PluginAccess, refresh string) (tokens, error) {
	question := map[string]string{"client_id": access.Settings[keyClientID], "client_secret": access.Settings[keyClientSecret]}
	if refresh != "" {
		question["grant_type"], question["refresh_token"] = "refresh_token", refresh
		renewed, err := a.grant(ctx, access, question)
		if err == nil || !errors.Is(err, errCredentials) {
			return renewed, err
		}
		delete(question, "refresh_token")
	}
	question["grant_type"] = "password"
	question["username"], question["password"] = access.Settings[keyUser], access.Settings[keyPassword]
	return a.grant(ctx, access, question)
}

var errCredentials = fmt.Errorf("%w the credentials", shop.ErrCourierRefused)

// grant asks for tokens. Nothing is booked by it, so that a lost answer is a refusal.
func (a *api) grant(ctx context.Context, access shop.PluginAccess, question map[string]string) (tokens, error) {
	answer, err := a.client.CallJSON(ctx, http.MethodPost, a.base[access.Mode]+apiPath+"/issue-token", nil, question)
	if err != nil {
		return tokens{}, fmt.Errorf("ask for a token: %w: %w", shop.ErrCourierRefused, err)
	}
	var granted struct {
		Access    string        `json:"access_token"`
		Refresh   string        `json:"refresh_token"`
		ExpiresIn provider.Text `json:"expires_in"` // seconds
	}
	switch broken := json.Unmarshal(answer.Body, &granted); {
	case answer.Status >= 400 && answer.Status < 500 && answer.Status != http.StatusTooManyRequests:
		return tokens{}, fmt.Errorf("ask for a token: %w", errCredentials)
	case answer.Status >= 300 || broken != nil || granted.Access == "":
		return tokens{}, fmt.Errorf("ask for a token: %w: it answered %d", shop.ErrCourierRefused, answer.Status)
	}
	life, err := time.ParseDuration(string(granted.ExpiresIn) + "s")
	if err != nil || life <= 0 {
		life = time.Hour // not told: short enough to be true
	}
	return tokens{Access: granted.Access, Refresh: granted.Refresh, ExpiresAt: a.now().Add(life)}, nil
}
