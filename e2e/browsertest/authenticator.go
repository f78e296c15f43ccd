package browsertest

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// AddAuthenticator adds an authenticator of passkeys to the tab, as in a phone, which verifies its
// user. It returns the ID for [Page.SimulatePresence].
func (p *Page) AddAuthenticator() (id string) {
	p.tb.Helper()
	command(p, webauthn.Enable, webauthn.EnableParams{})
	options := webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}}
	return string(do(p, "add an authenticator", func(ctx context.Context, t *chromedp.Target) (webauthn.AuthenticatorID, error) {
		added, err := cdp.Call(ctx, t, webauthn.AddVirtualAuthenticator, options)
		return added.AuthenticatorID, err
	}))
}

// SimulatePresence sets whether somebody answers at an authenticator whenever it waits.
func (p *Page) SimulatePresence(id string, present bool) {
	p.tb.Helper()
	command(p, webauthn.SetAutomaticPresenceSimulation,
		webauthn.SetAutomaticPresenceSimulationParams{AuthenticatorID: webauthn.AuthenticatorID(id), Enabled: present})
}
