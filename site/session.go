package site

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"

	"storefront/shop/account"
	"storefront/shop/fault"
)

// sessionTime is how long a buyer stays signed in: the lifetime of an access token.
const sessionTime = 7 * 24 * time.Hour

const signedInCookie = "signed_in"

// sessionName returns the name of the cookie with the buyer's access token. Browsers accept the
// prefix over TLS alone. It binds the cookie to the host.
func (r *request) sessionName() string {
	if strings.HasPrefix(r.Origin, "https:") {
		return "__Host-session"
	}
	return "session"
}

// readSession sets the caller's token from the cookie.
func (r *request) readSession() {
	if cookie, err := r.Request.Cookie(r.sessionName()); err == nil {
		r.Caller.Bearer = cookie.Value
	}
}

// sessionCookies returns the cookies of a session, or, without a token, those that end it.
func (r *request) sessionCookies(token string) []*http.Cookie {
	own := http.Cookie{
		Name: r.sessionName(), Value: token, Path: "/", MaxAge: int(sessionTime / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(r.Origin, "https:"),
	}
	if token == "" {
		own.MaxAge = -1
	}
	return []*http.Cookie{&own, r.signedInCookie(token != "")}
}

// signedInCookie returns the cookie by which scripts know that a buyer is signed in. Each has
// another value, so that they fetch the name again.
func (r *request) signedInCookie(signedIn bool) *http.Cookie {
	c := &http.Cookie{
		Name: signedInCookie, Value: rand.Text()[:8], Path: "/", MaxAge: int(sessionTime / time.Second),
		SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(r.Origin, "https:"),
	}
	if !signedIn {
		c.MaxAge = -1
	}
	return c
}

// customer returns the signed-in buyer, nil for a guest.
func (r *request) customer(ctx context.Context) (*account.Customer, error) {
	if r.Caller.Bearer == "" {
		return nil, nil
	}
	return r.Shop.Accounts.Me(ctx, r.Caller)
}

// isSignedOut reports whether an error means that a session has ended.
func isSignedOut(err error) bool {
	return fault.HasCode(err, fault.CodeTokenExpired) || fault.HasCode(err, fault.CodeTokenInvalid)
}

// renewSession adds a new token to a response if the buyer's is older than a day, unless the page
// has begun or ended a session. The page may not have read the account, so a session that has ended
// ends its cookies here.
func (s *Site) renewSession(ctx context.Context, r *request, response *Response) error {
	if slices.ContainsFunc(response.Cookies, func(c *http.Cookie) bool { return c.Name == r.sessionName() }) {
		return nil
	}
	token, err := r.renewedToken(ctx)
	switch {
	case isSignedOut(err):
		response.Cookies = append(response.Cookies, r.sessionCookies("")...)
		return nil
	case err == nil && token != "":
		response.Cookies = append(response.Cookies, r.sessionCookies(token)...)
	}
	return err
}

// renewedToken returns a new token for a buyer with one that is older than a day, otherwise "".
func (r *request) renewedToken(ctx context.Context) (string, error) {
	who, err := r.Shop.Accounts.OptionalIdentity(ctx, r.Caller)
	if err != nil {
		return "", err
	}
	if !who.IsAging() {
		return "", nil
	}
	renewed, err := r.Shop.Accounts.RenewToken(ctx, r.Caller)
	if err != nil {
		return "", err
	}
	return renewed.AccessToken, nil
}

// renderOwn renders a page of one buyer. A session that has ended makes the buyer a guest.
func (s *Site) renderOwn(ctx context.Context, r *request) (*Response, error) {
	r.readSession()
	response, err := r.page.render(s, ctx, r)
	switch {
	case r.Caller.Bearer == "":
		return response, err
	case err == nil:
		return response, s.renewSession(ctx, r, response)
	case !isSignedOut(err):
		return nil, err
	}
	r.Caller.Bearer = ""
	if response, err = r.page.render(s, ctx, r); err != nil {
		return nil, err
	}
	response.Cookies = append(r.sessionCookies(""), response.Cookies...) // the page may have begun another session
	return response, nil
}
