package gatewayb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"storefront/provider"
	"storefront/shop/plugin"
)

const (
	// renewAfter is the age at which a token is renewed. A token is valid for one hour, and a slow
	// call must end within it.
	renewAfter = 50 * time.Minute
	// minRefreshInterval limits a merchant to two uses of the refresh token per hour. Beyond that,
	// bKash blocks the merchant for an hour.
	minRefreshInterval = 30 * time.Minute
	// minReplaceInterval and maxReplacements, per hour, limit the requests for a new token if bKash
	// rejects one that should be valid.
	minReplaceInterval = time.Minute
	maxReplacements    = 6
	// refreshTTL is the period for which a refresh token is used. bKash's is valid for about 28 days.
	refreshTTL = 27 * 24 * time.Hour
)

// tokenState is the saved state of a merchant's tokens.
type tokenState struct {
	Merchant         string    `json:"merchant"` // hash of the credentials
	Token            string    `json:"token"`
	Refresh          string    `json:"refresh"`
	GrantedAt        time.Time `json:"at"`        // of the access token
	RefreshGrantedAt time.Time `json:"refreshAt"` // of the refresh token
	RefreshUsedAt    time.Time `json:"triedAt"`   // last use of the refresh token, successful or not
	// ReplacedAt are the times of the last hour at which a rejected token was replaced, oldest first.
	ReplacedAt []time.Time `json:"replacedAt,omitempty"`
}

// token returns the saved access token while it is valid, and otherwise a new one. refused is a
// token that bKash has rejected, if any.
func (a *Adapter) token(ctx context.Context, access plugin.Access, refused string) (string, error) {
	merchant := fingerprint(access)
	lock := a.lock(merchant)
	lock.Lock()
	defer lock.Unlock()
	var m tokenState
	saved, err := access.State.Load(ctx)
	if err != nil {
		return "", fmt.Errorf("%w: %w", plugin.ErrGatewayUnavailable, err)
	}
	// Start over if the state is unreadable or belongs to another merchant.
	if json.Unmarshal(saved, &m) != nil || m.Merchant != merchant {
		m = tokenState{Merchant: merchant}
	}
	now := a.now()
	young := m.Token != "" && now.Sub(m.GrantedAt) < renewAfter
	switch {
	case young && m.Token != refused:
		return m.Token, nil
	case young:
		err = a.replace(ctx, access, &m, now)
	default:
		err = a.renew(ctx, access, &m, now)
	}
	if err != nil {
		return "", notSent(err)
	}
	return m.Token, m.save(ctx, access)
}

// notSent converts the error of a token request to an error of the request that needed the token,
// which bKash certainly has not received.
func notSent(err error) error {
	if !errors.Is(err, plugin.ErrGatewayUnknown) {
		return err
	}
	if refusal, ok := errors.AsType[*plugin.Refusal](err); ok {
		return provider.Unavailable(refusal.Operation, refusal.Words)
	}
	return fmt.Errorf("%w: no token: %v", plugin.ErrGatewayUnavailable, err)
}

// save stores the state across restarts.
func (m *tokenState) save(ctx context.Context, access plugin.Access) error {
	text, err := json.Marshal(m)
	if err == nil {
		err = access.State.Save(ctx, text)
	}
	if err != nil {
		return fmt.Errorf("%w: save token: %w", plugin.ErrGatewayUnavailable, err)
	}
	return nil
}

// renew requests a token with the refresh token. Without one, or if bKash rejects it, renew uses
// the credentials. It saves the use of the refresh token first, because a use also counts for
// bKash's limit if its response is lost.
func (a *Adapter) renew(ctx context.Context, access plugin.Access, m *tokenState, now time.Time) error {
	if m.Refresh != "" && now.Sub(m.RefreshGrantedAt) < refreshTTL && now.Sub(m.RefreshUsedAt) >= minRefreshInterval {
		m.RefreshUsedAt = now
		if err := m.save(ctx, access); err != nil {
			return err
		}
		if p, err := a.request(ctx, access, "/token/refresh", m.Refresh); err == nil {
			m.update(p, now)
			return nil
		}
	}
	return a.grant(ctx, access, m, now)
}

// replace requests a token with the credentials because bKash has rejected a token that should be
// valid. A request counts for the limit even if its response is lost.
func (a *Adapter) replace(ctx context.Context, access plugin.Access, m *tokenState, now time.Time) error {
	m.ReplacedAt = slices.DeleteFunc(m.ReplacedAt, func(at time.Time) bool { return now.Sub(at) >= time.Hour })
	if n := len(m.ReplacedAt); n >= maxReplacements || n > 0 && now.Sub(m.ReplacedAt[n-1]) < minReplaceInterval {
		return provider.Unavailable("token", "the gateway rejected its own token, and the limit of new tokens is reached; a later request gets one")
	}
	m.ReplacedAt = append(m.ReplacedAt, now)
	if err := m.save(ctx, access); err != nil {
		return err
	}
	return a.grant(ctx, access, m, now)
}

// grant requests a token with the credentials.
func (a *Adapter) grant(ctx context.Context, access plugin.Access, m *tokenState, now time.Time) error {
	p, err := a.request(ctx, access, "/token/grant", "")
	if err != nil {
		return err
	}
	m.update(p, now)
	return nil
}

// update sets the tokens of a response that was requested at now.
func (m *tokenState) update(p payload, now time.Time) {
	m.Token, m.GrantedAt = p.Payload["id_token"], now
	if refresh := p.Payload["refresh_token"]; refresh != "" && refresh != m.Refresh {
		m.Refresh, m.RefreshGrantedAt = refresh, now
	}
}

// request requests a token, with the refresh token unless it is empty.
func (a *Adapter) request(ctx context.Context, access plugin.Access, path, refresh string) (payload, error) {
	const operation = "token"
	fields := map[string]string{"app_key": access.Settings["app_key"], "app_secret": access.Settings["app_secret"]}
	if refresh != "" {
		fields["refresh_token"] = refresh
	}
	resp, err := a.post(ctx, access, checkoutPath+path, fields, http.Header{
		"Username": {access.Settings["username"]}, "Password": {access.Settings["password"]},
	})
	if err != nil {
		return payload{}, err
	}
	granted, err := provider.ReadPayload(resp.Body)
	if err != nil {
		return payload{}, provider.Unreadable(operation, resp)
	}
	p := payload{granted, resp.Status, access.Settings, refresh}
	if p.Payload["id_token"] == "" && p.code() == codeNone && p.Payload["status"] == "fail" {
		return payload{}, provider.Refused(operation, p.words())
	}
	if p.Payload["id_token"] == "" {
		return payload{}, p.failure(operation)
	}
	return p, nil
}

// lock returns the lock of one merchant's tokens.
func (a *Adapter) lock(merchant string) *sync.Mutex {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.renewing[merchant] == nil {
		a.renewing[merchant] = new(sync.Mutex)
	}
	return a.renewing[merchant]
}

// fingerprint returns a hash that identifies the credentials and the mode.
func fingerprint(access plugin.Access) string {
	h := sha256.New()
	for _, name := range []string{"username", "password", "app_key", "app_secret"} {
		fmt.Fprintf(h, "%q", access.Settings[name])
	}
	fmt.Fprintf(h, "%q", access.Mode)
	return hex.EncodeToString(h.Sum(nil))
}
