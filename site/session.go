package site

import (
	"context"
	"crypto/rand"
	"net/http"
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

// renderOwn renders a page of one buyer. A session that has ended makes the buyer a guest.
func (s *Site) renderOwn(ctx context.Context, r *request) (*Response, error) {
	r.readSession()
	response, err := r.page.render(s, ctx, r)
	if r.Caller.Bearer == "" || !isSignedOut(err) {
		return response, err
	}
	r.Caller.Bearer = ""
	if response, err = r.page.render(s, ctx, r); err != nil {
		return nil, err
	}
	response.Cookies = append(r.sessionCookies(""), response.Cookies...) // the page may have begun another session
	return response, nil
}
