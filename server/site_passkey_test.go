package server_test

import (
	"net/http"
	"net/url"
	"testing"
)

// Steps of passkeys that are refused return the reason in the language of the page.
func TestSite_PasskeyRefused(t *testing.T) {
	t.Parallel()
	s := newPageSite(t, nil)
	b := s.browser()
	step := func(prefix, do string, more ...string) webPage {
		form := url.Values{"do": {do}}
		for i := 0; i < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		return b.send(t, http.MethodPost, shopHost+prefix+"/account/passkeys", form)
	}
	step("", "nothing").has(http.StatusBadRequest)
	for _, do := range []string{"code", "prove", "begin", "add", "rename", "remove"} {
		step("", do, "name", "Phone", "id", "x").has(http.StatusUnprocessableEntity, "Sign in with a code first.")
	}
	step("/bn", "code").has(http.StatusUnprocessableEntity, "আগে কোড দিয়ে সাইন ইন করুন।")
	step("", "sign-in", "credential", "{").has(http.StatusUnprocessableEntity, "This passkey does not sign in here.")
	step("", "begin-sign-in").has(http.StatusUnprocessableEntity, "problem") // without HTTPS

	b.signIn(t)
	b.get(t, shopHost+"/account").has(http.StatusOK, `data-passkeys="/account/passkeys"`, "passkey.js")
	step("", "code").has(http.StatusOK, `{"to":"`+buyerPhone+`"}`)
	step("", "rename", "name", "Phone", "id", "x").has(http.StatusUnprocessableEntity, "removed already")
	step("", "rename", "name", " ").has(http.StatusUnprocessableEntity, "Enter your name.")
	step("", "remove", "id", "x", "code", "12").has(http.StatusUnprocessableEntity, `"isCode":true`, "four digits")
	step("", "remove", "id", "x", "code", b.otherCode(t)).has(http.StatusUnprocessableEntity, `"isCode":true`, "wrong or has expired")
	step("", "remove", "id", "x", "proof", "{}").has(http.StatusUnprocessableEntity, "This passkey does not sign in here.")
	if got := step("", "code"); got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got Cache-Control %q, want no-store", got.header.Get("Cache-Control"))
	}
}

// otherCode returns a code that was not sent to the buyer.
func (b *browser) otherCode(t *testing.T) string {
	t.Helper()
	return otherDigits(b.s.sms.Code(t, buyerPhone))
}
