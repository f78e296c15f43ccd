package account_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

func TestUpdateProfile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	payload := a.SignIn(t, rahimsPhone)
	caller := access.Caller{Bearer: payload.AccessToken}
	want := payload.User
	home := account.Address{Line1: "House 7", Line2: new("Flat 3"), City: "Dhaka", Country: new("BD")}
	work := account.Address{Line1: "Station Road", City: "Sylhet", Postcode: new("3100"), Country: new("BD")}
	for _, step := range []struct {
		name   string
		in     account.ProfileInput
		expect func()
	}{
		{"nothing", account.ProfileInput{}, func() {}},
		{"name", account.ProfileInput{Name: new(" সালমা  খাতুন ")}, func() { want.Name = "সালমা খাতুন" }},
		{"email", account.ProfileInput{Email: new("Salma@Example.com")}, func() { want.Email = new("salma@example.com") }},
		{"the same phone stays proven", account.ProfileInput{PhoneNumber: new("01711-000000")}, func() {}},
		{"first address", account.ProfileInput{Address: &account.Address{Line1: "House 7", Line2: new("Flat 3"), City: "Dhaka"}},
			func() { want.Addresses = []account.Address{home} }},
		{"address book", account.ProfileInput{Addresses: &[]account.Address{home, work}}, func() { want.Addresses = []account.Address{home, work} }},
		{"default address", account.ProfileInput{Address: &account.Address{Line1: "House 8", City: "Dhaka"}},
			func() {
				want.Addresses = []account.Address{{Line1: "House 8", City: "Dhaka", Country: new("BD")}, work}
			}},
		{"no address", account.ProfileInput{Addresses: &[]account.Address{}}, func() { want.Addresses = []account.Address{} }},
		{"another phone is unproven", account.ProfileInput{PhoneNumber: new("01811000000"), CurrentCode: new(a.Code(t, rahimsPhone))},
			func() { want.PhoneNumber, want.PhoneVerified = new(karimsPhone), false }},
		{"no phone", account.ProfileInput{PhoneNumber: new("")}, func() { want.PhoneNumber = nil }},
	} {
		t.Run(step.name, func(t *testing.T) {
			got, err := a.UpdateProfile(ctx, caller, step.in)
			if err != nil {
				t.Fatal(err)
			}
			step.expect()
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Errorf("profile (-want +got):\n%s", diff)
			}
			me, err := a.Me(ctx, caller)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, me); diff != "" {
				t.Errorf("me (-returned +me):\n%s", diff)
			}
		})
	}
}

func TestUpdateProfile_Invalid(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.Rahim(t)
	payload := a.SignIn(t, karimsPhone)
	caller := access.Caller{Bearer: payload.AccessToken}
	for _, c := range []struct {
		name  string
		in    account.ProfileInput
		code  fault.Code
		field string
	}{
		{"empty name", account.ProfileInput{Name: new(" ")}, fault.CodeValidationFailed, "name"},
		{"bad email", account.ProfileInput{Email: new("karim")}, fault.CodeValidationFailed, "email"},
		{"bad phone", account.ProfileInput{PhoneNumber: new("0181")}, fault.CodeValidationFailed, "phoneNumber"},
		{"neither email nor phone", account.ProfileInput{PhoneNumber: new("")}, fault.CodeValidationFailed, "email"},
		{"bad address", account.ProfileInput{Address: &account.Address{Line1: "House 7"}}, fault.CodeValidationFailed, "address.city"},
		{"bad second address",
			account.ProfileInput{Addresses: &[]account.Address{{Line1: "a", City: "b"}, {City: "b"}}},
			fault.CodeValidationFailed, "addresses[1].line1"},
		{"eleven addresses", account.ProfileInput{Addresses: new(make([]account.Address, 11))}, fault.CodeValidationFailed, "addresses"},
		{"address and addresses",
			account.ProfileInput{Address: &account.Address{Line1: "a", City: "b"}, Addresses: &[]account.Address{}},
			fault.CodeValidationFailed, "address"},
		{"replaced phone without proof", account.ProfileInput{PhoneNumber: new(rahimsPhone)}, fault.CodeReauthenticationRequired, ""},
		{"taken phone", account.ProfileInput{PhoneNumber: new(rahimsPhone), CurrentCode: new(a.Code(t, karimsPhone))}, fault.CodeCustomerExists, ""},
		{"taken email", account.ProfileInput{Email: new("RAHIM@example.com")}, fault.CodeCustomerExists, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := a.UpdateProfile(ctx, caller, c.in)
			if e := shoptest.WantCode(t, err, c.code); c.field != "" && e.Fields[0].Field != c.field {
				t.Errorf("got fields %+v, want %s", e.Fields, c.field)
			}
			me, err := a.Me(ctx, caller)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&payload.User, me); diff != "" {
				t.Errorf("account (-before +after a refused change):\n%s", diff)
			}
		})
	}
	_, err := a.UpdateProfile(ctx, access.Caller{}, account.ProfileInput{})
	shoptest.WantCode(t, err, fault.CodeUnauthenticated)
	_, err = a.UpdateProfile(ctx, access.Caller{Bearer: "x"}, account.ProfileInput{})
	shoptest.WantCode(t, err, fault.CodeTokenInvalid)
}
