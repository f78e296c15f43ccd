package server_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"storefront/shop/fault"
	"storefront/shop/passkey"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// passkeyOrigin is the page of the passkeys of these tests.
const passkeyOrigin = "http://localhost:8080"

// passkeyClient is a browser at a dashboard or the console.
type passkeyClient struct {
	tb   testing.TB
	send func(method, path, body, host string) *reply
}

// request sends a request at localhost.
func (c passkeyClient) request(method, path, body string) *reply {
	return c.send(method, path, body, "localhost:8080")
}

// creation returns the body that adds a device with new options.
func (c passkeyClient) creation(device *shoptest.Authenticator) string {
	c.tb.Helper()
	var options passkey.CreationOptions
	c.request("POST", "me/passkeys/options", "{}").ok(http.StatusOK, &options)
	return encoded(c.tb, map[string]any{"name": "Phone", "credential": device.Create(c.tb, &options)})
}

// proof returns the body that signs new options of a path.
func (c passkeyClient) proof(device *shoptest.Authenticator, path string) string {
	c.tb.Helper()
	var options passkey.RequestOptions
	c.request("POST", path+"/options", "{}").ok(http.StatusOK, &options)
	return encoded(c.tb, map[string]any{"credential": device.Sign(c.tb, &options)})
}

// add adds a device, and returns the passkey's ID.
func (c passkeyClient) add(device *shoptest.Authenticator) string {
	c.tb.Helper()
	var added staff.NewPasskey
	c.request("POST", "me/passkeys", c.creation(device)).ok(http.StatusCreated, &added)
	return added.ID
}

func encoded(tb testing.TB, v any) string {
	tb.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// passkeys returns a browser of the owner.
func (s *auditShop) passkeys() passkeyClient {
	return passkeyClient{s.t, func(method, path, body, host string) *reply {
		return s.as(method, path, body, "Cookie", s.owner, "Host", host)
	}}
}

// passkeys returns a browser of an operator.
func (o *operatorSite) passkeys(t *testing.T, cookie string) passkeyClient {
	return passkeyClient{t, func(method, path, body, host string) *reply {
		return o.send(method, "/admin/v1/operator/"+path, body, "Cookie", cookie, "Host", host, "Content-Type", "application/json", "X-Tenant", "")
	}}
}

// refuse checks each refusal that the operations promise. require makes the passkey the only
// second factor where one is required; later lets time pass.
func (c passkeyClient) refuse(require func(), later func(time.Duration)) {
	device := shoptest.NewAuthenticator(c.tb, passkeyOrigin)
	c.send("POST", "session/passkey/options", "{}", "").wantCode("at an IP address", fault.CodeStateConflict)
	c.send("POST", "me/passkeys/options", "{}", "").wantCode("at an IP address", fault.CodeStateConflict)
	c.request("POST", "session/proof/options", "{}").wantCode("no passkey", fault.CodeStateConflict)
	elsewhere := *device
	elsewhere.Origin = "http://localhost:8081"
	c.request("POST", "me/passkeys", c.creation(&elsewhere)).wantCode("another port", fault.CodeInvalidCredentials)
	id := c.add(device)
	c.request("POST", "me/passkeys", c.creation(device)).wantCode("added already", fault.CodeStateConflict)
	c.request("POST", "session/proof", c.proof(&elsewhere, "session/proof")).wantCode("another port", fault.CodeInvalidCredentials)
	c.request("POST", "session/passkey", c.proof(&elsewhere, "session/passkey")).wantCode("another port", fault.CodeInvalidCredentials)
	c.request("PATCH", "me/passkeys/none", `{"name":"Laptop"}`).wantCode("renamed", fault.CodeNotFound)
	c.request("PATCH", "me/passkeys/"+id, `{"name":" "}`).wantCode("renamed", fault.CodeValidationFailed)
	c.request("DELETE", "me/passkeys/none", "").wantCode("removed", fault.CodeNotFound)
	require()
	c.request("DELETE", "me/passkeys/"+id, "").wantCode("the only second factor", fault.CodeStateConflict)
	later(12 * time.Minute)
	add := c.creation(shoptest.NewAuthenticator(c.tb, passkeyOrigin))
	later(4 * time.Minute)
	c.request("POST", "me/passkeys/options", "{}").wantCode("later", fault.CodeProofRequired)
	c.request("POST", "me/passkeys", add).wantCode("later", fault.CodeProofRequired)
	c.request("DELETE", "me/passkeys/"+id, "").wantCode("later", fault.CodeProofRequired)
}

func TestAdmin_PasskeyRefusals(t *testing.T) {
	t.Parallel()
	s := newAuditShop(t)
	s.passkeys().refuse(func() { s.shop.Set(t, map[string]any{"requireSecondFactor": "everyone"}) }, s.shop.Clock.Advance)
}

func TestOperator_PasskeyRefusals(t *testing.T) {
	t.Parallel()
	o := newAgencySite(t)
	cookie, _ := o.operator(t, staff.OperatorOwner, "shaila")
	c := o.passkeys(t, cookie)
	device := shoptest.NewAuthenticator(t, passkeyOrigin)
	c.refuse(func() {
		c.request("DELETE", "me/totp", "").ok(http.StatusOK, new(any))
		// Another passkey of hers is no reason: it is removed again.
		c.request("DELETE", "me/passkeys/"+c.add(device), "").ok(http.StatusOK, new(any))
	}, o.clock.Advance)
}

// A passkey signs in and proves over HTTP. That of an operator or another shop signs in to no
// shop.
func TestAdmin_Passkey(t *testing.T) {
	t.Parallel()
	o := newAgencySite(t)
	cookie, _ := o.operator(t, staff.OperatorOwner, "shaila")
	operator := o.passkeys(t, cookie)
	device := shoptest.NewAuthenticator(t, passkeyOrigin)
	operator.add(device)
	const api = "/admin/v1/operator/"
	shops, browsers, devices := []string{"rina", "karim"}, map[string]passkeyClient{}, map[string]*shoptest.Authenticator{}
	for _, uid := range shops {
		var owner struct{ Link staff.Link }
		o.request(t, "POST", api+"shops", cookie, map[string]any{
			"uid": uid, "name": uid, "currency": "BDT", "country": "BD", "language": "en",
			"owner": map[string]any{"name": "Owner", "user": uid + "@example.com"},
		}).ok(http.StatusCreated, &owner)
		used := o.request(t, "POST", "/admin/v1/shops/"+uid+"/links/use", "", map[string]any{"token": owner.Link.Token, "password": shoptest.Password})
		used.ok(http.StatusOK, new(any))
		session := used.cookieOf(t, "sf_admin", "/admin/v1/shops/"+uid)
		browsers[uid] = passkeyClient{t, func(method, path, body, host string) *reply {
			return o.send(method, "/admin/v1/shops/"+uid+"/"+path, body, "Cookie", session, "Host", host, "Content-Type", "application/json",
				"X-Tenant", "")
		}}
		devices[uid] = shoptest.NewAuthenticator(t, passkeyOrigin)
		browsers[uid].add(devices[uid])
	}
	for _, uid := range shops {
		c := browsers[uid]
		c.request("POST", "session/passkey", c.proof(device, "session/passkey")).wantCode("an operator's", fault.CodeInvalidCredentials)
		operator.request("POST", "session/passkey", operator.proof(devices[uid], "session/passkey")).wantCode("a shop's", fault.CodeInvalidCredentials)
		for owner, other := range devices {
			got := c.request("POST", "session/passkey", c.proof(other, "session/passkey"))
			if owner != uid {
				got.wantCode("another shop's", fault.CodeInvalidCredentials)
				continue
			}
			got.ok(http.StatusOK, new(any))
			got.cookieOf(t, "sf_admin", "/admin/v1/shops/"+uid)
		}
	}
	signedIn := operator.request("POST", "session/passkey", operator.proof(device, "session/passkey"))
	signedIn.ok(http.StatusOK, new(any))
	again := o.passkeys(t, signedIn.cookieOf(t, "sf_operator", "/admin/v1/operator"))
	o.clock.Advance(16 * time.Minute)
	again.request("POST", "shops/rina/suspend", `{"reason":"Unpaid"}`).wantCode("later", fault.CodeProofRequired)
	again.request("POST", "session/proof", again.proof(device, "session/proof")).ok(http.StatusOK, new(any))
	again.request("POST", "shops/rina/suspend", `{"reason":"Unpaid"}`).ok(http.StatusOK, new(any))
}
