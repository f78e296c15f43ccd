package gatewayb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"storefront/provider"
	"storefront/shop"
)

const (
	// renewAfter is within the hour that a token lives, early enough for a slow call to end in time.
	renewAfter = 50 * time.Minute
	// minRenewInterval keeps a merchant to two tokens an hour: more and the provider blocks it for one.
	minRenewInterval = 30 * time.Minute
	// refreshTTL is how long a refresh token surely works.
	refreshTTL = 27 * 24 * time.Hour
)

// tokenState is what is kept of a merchant's token.
type tokenState struct {
	Merchant         string    `json:"merchant"` // hash of the credentials that it is for
	Token            string    `json:"token"`
	Refresh          string    `json:"refresh"`
	GrantedAt        time.Time `json:"at"`        // when the token was given
	RefreshGrantedAt time.Time `json:"refreshAt"` // when the refresh token was
	RefreshUsedAt    time.Time `json:"triedAt"`   // when it was last used, whatever came of it
}

// token gives an access token, the kept one while it is good. refused is one that the provider did
// not take; "": none.
func (a *Adapter) token(ctx context.Context, access shop.PluginAccess, refused string) (string, error) {
	merchant := fingerprint(access)
	lock := a.lock(merchant)
	lock.Lock()
	defer lock.Unlock()
	var m tokenState
	kept, err := access.State.Load(ctx)
	if err != nil {
		return "", fmt.Errorf("%w: %w", shop.ErrGatewayRefused, err)
	}
	// What can not be read, or is another merchant's, is as good as nothing.
	if json.Unmarshal(kept, &m) != nil || m.Merchant != merchant {
		m = tokenState{Merchant: merchant}
	}
	age := a.now().Sub(m.GrantedAt)
	if m.Token != "" && m.Token != refused && age < renewAfter {
		return m.Token, nil
	}
	if m.Token != "" && age < minRenewInterval {
		return "", provider.Refused("token", "the provider does not take its own token, and another may not be asked for yet")
	}
	if err := a.renew(ctx, access, &m); err != nil {
		return "", err
	}
	return m.Token, m.save(ctx, access)
}

// save writes down what is to outlive the program.
func (m *tokenState) save(ctx context.Context, access shop.PluginAccess) error {
	text, err := json.Marshal(m)
	if err == nil {
		err = access.State.Save(ctx, text)
	}
	if err != nil {
		return fmt.Errorf("%w: keep token: %w", shop.ErrGatewayRefused, err)
	}
	return nil
}

// renew asks for a token: by the refresh token where there is one, else, or where that is not
// taken, by the credentials. That the refresh token is used is written down first, since uses whose
// answer is lost count for the provider too.
func (a *Adapter) renew(ctx context.Context, access shop.PluginAccess, m *tokenState) error {
	now := a.now()
	if m.Refresh != "" && now.Sub(m.RefreshGrantedAt) < refreshTTL && now.Sub(m.RefreshUsedAt) >= minRenewInterval {
		m.RefreshUsedAt = now
		if err := m.save(ctx, access); err != nil {
			return err
		}
		if p, err := a.request(ctx, access, "/token/refresh", m.Refresh); err == nil {
			m.update(p, now)
			return nil
		}
	}
	p, err := a.request(ctx, access, "/token/grant", "")
	if err != nil {
		return err
	}
	m.update(p, now)
	return nil
}

func (m *tokenState) update(p payload, now time.Time) {
	m.Token, m.GrantedAt = p.Payload["id_token"], now
	if refresh := p.Payload["refresh_token"]; refresh != "" && refresh != m.Refresh {
		m.Refresh, m.RefreshGrantedAt = refresh, now
	}
}

func (a *Adapter) request(ctx context.Context, access shop.PluginAccess, path, refresh string) (payload, error) {
	const what = "token"
	fields := map[string]string{"app_key": access.Settings["app_key"], "app_secret": access.Settings["app_secret"]}
	if refresh != "" {
		fields["refresh_token"] = refresh
	}
	answer, err := a.post(ctx, access, checkoutPath+path, fields, http.Header{
		"Username": {access.Settings["username"]}, "Password": {access.Settings["password"]},
	})
	if err != nil {
		return payload{}, err
	}
	fieldsOf, err := provider.ReadPayload(answer.Body)
	if err != nil {
		return payload{}, provider.Refused(what, fmt.Sprintf("an answer of status %d that can not be understood", answer.Status))
	}
	p := payload{fieldsOf}
	if p.Payload["id_token"] == "" {
		return payload{}, provider.Refused(what, "code "+p.code())
	}
	return p, nil
}

// lock gives the lock of one merchant's token.
func (a *Adapter) lock(merchant string) *sync.Mutex {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.renewing[merchant] == nil {
		a.renewing[merchant] = new(sync.Mutex)
	}
	return a.renewing[merchant]
}

// fingerprint names credentials without telling them.
func fingerprint(access shop.PluginAccess) string {
	h := sha256.New()
	for _, name := range []string{"username", "password", "app_key", "app_secret"} {
		fmt.Fprintf(h, "%q", access.Settings[name])
	}
	fmt.Fprintf(h, "%q", access.Mode)
	return hex.EncodeToString(h.Sum(nil))
}
