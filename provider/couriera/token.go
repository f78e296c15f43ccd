package couriera

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"storefront/provider"
	"storefront/shop/plugin"
)

// tokens are the courier's OAuth tokens, saved as the plugin's state.
type tokens struct {
	Access    string    `json:"access"`
	Refresh   string    `json:"refresh"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// renewMargin is the time before its expiry at which an access token is renewed.
const renewMargin = 5 * time.Minute

// token returns the saved access token, or a new one if it expires soon or fresh is set.
func (a *api) token(ctx context.Context, access plugin.Access, fresh bool) (string, error) {
	var current tokens
	saved, err := access.State.Load(ctx)
	if err != nil {
		return "", fmt.Errorf("load token: %w", err)
	}
	if saved != nil {
		if err := json.Unmarshal(saved, &current); err != nil {
			current = tokens{}
		}
	}
	if current.Access != "" && !fresh && a.now().Add(renewMargin).Before(current.ExpiresAt) {
		return current.Access, nil
	}
	renewed, err := a.renew(ctx, access, current.Refresh)
	if err != nil {
		return "", err
	}
	value, err := json.Marshal(renewed)
	if err != nil {
		return "", fmt.Errorf("encode token: %w", err)
	}
	if err := access.State.Save(ctx, value); err != nil {
		return "", fmt.Errorf("save token: %w", err)
	}
	return renewed.Access, nil
}

// renew requests new tokens with the refresh token. Without one, or if the courier rejects it,
// renew uses the merchant's credentials.
func (a *api) renew(ctx context.Context, access plugin.Access, refresh string) (tokens, error) {
	request := map[string]string{"client_id": access.Settings[keyClientID], "client_secret": access.Settings[keyClientSecret]}
	if refresh != "" {
		request["grant_type"], request["refresh_token"] = "refresh_token", refresh
		renewed, err := a.grant(ctx, access, request)
		if err == nil || !errors.Is(err, errCredentials) {
			return renewed, err
		}
		delete(request, "refresh_token")
	}
	request["grant_type"] = "password"
	request["username"], request["password"] = access.Settings[keyUser], access.Settings[keyPassword]
	return a.grant(ctx, access, request)
}

var errCredentials error = &plugin.Refusal{Kind: plugin.ErrCourierRefused, Words: "the credentials are invalid"}

// grant requests tokens. The request books nothing, so a lost response is
// [plugin.ErrCourierRefused].
func (a *api) grant(ctx context.Context, access plugin.Access, request map[string]string) (tokens, error) {
	resp, err := a.client.CallJSON(ctx, http.MethodPost, a.base[access.Mode]+apiPath+"/issue-token", nil, request)
	if err != nil {
		return tokens{}, fmt.Errorf("request token: %w: %w", plugin.ErrCourierRefused, err)
	}
	var granted struct {
		Access    string        `json:"access_token"`
		Refresh   string        `json:"refresh_token"`
		ExpiresIn provider.Text `json:"expires_in"` // seconds
	}
	switch decodeErr := json.Unmarshal(provider.TrimBOM(resp.Body), &granted); {
	case resp.Status >= 400 && resp.Status < 500 && resp.Status != http.StatusTooManyRequests:
		return tokens{}, fmt.Errorf("request token: %w", provider.Refusal(errCredentials, resp.Status, access.Settings, resp.Body))
	case resp.Status >= 300 || decodeErr != nil || granted.Access == "":
		return tokens{}, fmt.Errorf("request token: %w", &plugin.Refusal{Kind: plugin.ErrCourierRefused, Status: resp.Status})
	}
	life, err := time.ParseDuration(string(granted.ExpiresIn) + "s")
	if err != nil || life <= 0 {
		life = time.Hour // a safe assumption: Pathao documents 5 days
	}
	return tokens{Access: granted.Access, Refresh: granted.Refresh, ExpiresAt: a.now().Add(life)}, nil
}
