package shop_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/plugin"
	"storefront/shop/sender"
	"storefront/shop/shoptest"
)

// courierAccount is a courier's account that responds with an error, if any.
type courierAccount struct {
	anyCourier
	err    error
	checks int
}

func (a *courierAccount) Check(context.Context, plugin.Access) error {
	a.checks++
	return a.err
}

// connectedShop is a shop with a courier whose account is configured.
func connectedShop(t *testing.T) (*shoptest.Accounts, *courierAccount, func() shop.Connection) {
	t.Helper()
	a, courier := shoptest.NewAccounts(t), &courierAccount{}
	a.Config.Plugins = []plugin.Plugin{{
		Provider: plugin.CourierA, Courier: courier, Checker: courier,
		Keys: []plugin.Key{{Name: "token", PerMode: true, For: []plugin.Capability{plugin.CanBook}}},
	}}
	a = a.Reopened()
	shoptest.ConfigurePlugin(t, a.Shop, plugin.CourierA, map[string]any{"token": "T"})
	return a, courier, func() shop.Connection {
		t.Helper()
		status, err := a.FindPlugin(t.Context(), access.Operator(), plugin.CourierA)
		if err != nil {
			t.Fatal(err)
		}
		return status.Connection
	}
}

// A connection has the result of its last check with the provider's words, and none after its
// settings have changed.
func TestConnection_States(t *testing.T) {
	t.Parallel()
	a, courier, connection := connectedShop(t)
	if got := connection(); got.State != shop.ConnectionUnchecked || got.CheckedAt != nil {
		t.Errorf("configured: got %+v, want unchecked", got)
	}
	refused := &plugin.Refusal{Kind: plugin.ErrCourierRefused, Status: 401, Words: "Invalid key."}
	for _, tc := range []struct {
		err   error
		state shop.ConnectionState
		words string
		again bool
	}{
		{nil, shop.ConnectionWorks, "", false},
		{fmt.Errorf("list stores: %w", refused), shop.ConnectionRefused, "Invalid key", false},
		{&net.OpError{Op: "dial", Err: errors.New("no such host")}, shop.ConnectionUnreached, "", true},
		{context.DeadlineExceeded, shop.ConnectionUnreached, "", true},
	} {
		courier.err = tc.err
		caller := access.Operator()
		caller.RequestID = "REQUEST"
		if _, err := a.ValidatePlugin(t.Context(), caller, plugin.CourierA); err != nil {
			t.Fatal(err)
		}
		got, words := connection(), ""
		if got.Words != nil {
			words = *got.Words
		}
		isAgain := got.NextCheckAt != nil
		if got.State != tc.state || words != tc.words || isAgain != tc.again || *got.RequestID != "REQUEST" || got.ProvedAt == nil {
			t.Errorf("%v: got %+v with words %q, want %s, %q, checked again: %t", tc.err, got, words, tc.state, tc.words, tc.again)
		}
	}
	shoptest.ConfigurePlugin(t, a.Shop, plugin.CourierA, map[string]any{"token": "another"})
	if got := connection(); got.State != shop.ConnectionUnchecked {
		t.Errorf("another account: got %+v, want unchecked", got)
	}
}

// A provider that does not respond is checked again by the program, less and less often, and no
// more once it responds.
func TestConnection_CheckedAgain(t *testing.T) {
	t.Parallel()
	a, courier, connection := connectedShop(t)
	courier.err = context.DeadlineExceeded
	if _, err := a.ValidatePlugin(t.Context(), access.Operator(), plugin.CourierA); err != nil {
		t.Fatal(err)
	}
	var last time.Duration
	for courier.checks < 10 {
		next, err := a.CheckConnections(t.Context())
		if err != nil || next.IsZero() || courier.checks > 1 && next.Sub(a.Clock.Now()) < last {
			t.Fatalf("after %d checks: got next %v (%v), want a later one", courier.checks, next, err)
		}
		last = next.Sub(a.Clock.Now())
		a.Clock.Advance(last)
		if _, err := a.CheckConnections(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if next, err := a.CheckConnections(t.Context()); err != nil || !next.IsZero() ||
		connection().NextCheckAt != nil {
		t.Errorf("after the last check: got next %v (%v), %+v, want none", next, err, connection())
	}
	courier.err = nil
	if _, err := a.ValidatePlugin(t.Context(), access.Operator(), plugin.CourierA); err != nil {
		t.Fatal(err)
	}
	if got := connection(); got.State != shop.ConnectionWorks || got.NextCheckAt != nil {
		t.Errorf("responds: got %+v, want works", got)
	}
}

// unreachedGateway is the error of a gateway that did not respond.
type unreachedGateway struct{ error }

func (unreachedGateway) Reason() string { return "it cannot be reached" }

// One buyer's number that a gateway refuses proves nothing about its account, three in a row and a
// test do.
func TestConnection_Messages(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	if err := a.Sender.ConfigureSMS(t.Context(), access.Operator(), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	var result error
	a.SMS.Answer(func(string, string) error { return result })
	refused := fmt.Errorf("%w: no credit", sender.ErrSMSRefused)
	unreached := fmt.Errorf("%w: %w", sender.ErrSMSRefused, unreachedGateway{errors.New("dial tcp: no such host")})
	for i, tc := range []struct {
		err    error
		isTest bool
		state  shop.ConnectionState
		words  string
	}{
		{unreached, true, shop.ConnectionUnreached, "it cannot be reached"},
		{nil, false, shop.ConnectionWorks, ""},
		{refused, true, shop.ConnectionRefused, "no credit"},
		{nil, false, shop.ConnectionWorks, ""},
		{refused, false, shop.ConnectionWorks, ""},
		{refused, false, shop.ConnectionWorks, ""},
		{nil, false, shop.ConnectionWorks, ""},
		{refused, false, shop.ConnectionWorks, ""},
		{refused, false, shop.ConnectionWorks, ""},
		{refused, false, shop.ConnectionRefused, "no credit"},
		{sender.ErrSMSUnknown, false, shop.ConnectionUnreached, "the message may or may not have been sent"},
	} {
		result = tc.err
		if tc.isTest {
			_, _ = a.Sender.SendTestSMS(t.Context(), access.Operator(), "01711-000000")
		} else {
			_, _ = a.Sender.SendText(t.Context(), "+8801711000000", "Good morning.")
		}
		got, err := a.FindConnection(t.Context(), access.Operator(), access.ToSMSConfig, "sms")
		if err != nil {
			t.Fatal(err)
		}
		words := ""
		if got.Words != nil {
			words = *got.Words
		}
		if got.State != tc.state || words != tc.words {
			t.Errorf("message %d: got %s with words %q, want %s with %q", i, got.State, words, tc.state, tc.words)
		}
	}
}

// checkedSMS is a gateway of text messages that can be checked.
type checkedSMS struct {
	sender.SMS
	err    error
	proved bool
}

func (s *checkedSMS) Send(context.Context, string, string) (string, error) { return "", s.err }
func (s *checkedSMS) Check(context.Context) (bool, error)                  { return s.proved, s.err }

// A gateway of text messages that was not reached is checked again without a message. A response
// that proves nothing about the account leaves what is known of it.
func TestConnection_MessagesCheckedAgain(t *testing.T) {
	t.Parallel()
	unreached := fmt.Errorf("%w: %w", sender.ErrSMSRefused, unreachedGateway{errors.New("no such host")})
	for _, tc := range []struct {
		worked, proved bool
		want           shop.ConnectionState
	}{
		{false, false, shop.ConnectionUnchecked}, {true, false, shop.ConnectionWorks}, {false, true, shop.ConnectionWorks},
	} {
		a := shoptest.NewAccounts(t)
		gateway := &checkedSMS{SMS: a.SMS, proved: tc.proved}
		a.Config.NewSMS = func([]byte, string) (sender.SMS, error) { return gateway, nil }
		a = a.Reopened()
		state := func(want shop.ConnectionState, isPlanned bool) {
			t.Helper()
			a.Clock.Advance(time.Hour)
			if _, err := a.CheckConnections(t.Context()); err != nil {
				t.Fatal(err)
			}
			got, err := a.FindConnection(t.Context(), access.Operator(), access.ToSMSConfig, "sms")
			if err != nil || got.State != want || (got.NextCheckAt != nil) != isPlanned {
				t.Errorf("%+v: got %+v (%v), want %s, planned %t", tc, got, err, want, isPlanned)
			}
		}
		if tc.worked {
			_, _ = a.Sender.SendText(t.Context(), "+8801711000000", "Good morning.")
		}
		gateway.err = unreached
		_, _ = a.Sender.SendText(t.Context(), "+8801711000000", "Good morning.")
		state(shop.ConnectionUnreached, true)
		gateway.err = nil
		state(tc.want, false)
	}
}
