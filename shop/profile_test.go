package shop_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
)

func TestUpdateProfile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	payload := a.signIn(t, rahimsPhone)
	caller := access.Caller{Bearer: payload.AccessToken}
	want := payload.User
	home := shop.Address{Line1: "House 7", Line2: new("Flat 3"), City: "Dhaka", Country: new("BD")}
	work := shop.Address{Line1: "Station Road", City: "Sylhet", Postcode: new("3100"), Country: new("BD")}
	for _, step := range []struct {
		name   string
		in     shop.ProfileInput
		expect func()
	}{
		{"nothing", shop.ProfileInput{}, func() {}},
		{"name", shop.ProfileInput{Name: new(" সালমা  খাতুন ")}, func() { want.Name = "সালমা খাতুন" }},
		{"email", shop.ProfileInput{Email: new("Salma@Example.com")}, func() { want.Email = new("salma@example.com") }},
		{"the same phone stays proven", shop.ProfileInput{PhoneNumber: new("01711-000000")}, func() {}},
		{"first address", shop.ProfileInput{Address: &shop.Address{Line1: "House 7", Line2: new("Flat 3"), City: "Dhaka"}},
			func() { want.Addresses = []shop.Address{home} }},
		{"address book", shop.ProfileInput{Addresses: &[]shop.Address{home, work}}, func() { want.Addresses = []shop.Address{home, work} }},
		{"default address", shop.ProfileInput{Address: &shop.Address{Line1: "House 8", City: "Dhaka"}},
			func() { want.Addresses = []shop.Address{{Line1: "House 8", City: "Dhaka", Country: new("BD")}, work} }},
		{"no address", shop.ProfileInput{Addresses: &[]shop.Address{}}, func() { want.Addresses = []shop.Address{} }},
		{"another phone is unproven", shop.ProfileInput{PhoneNumber: new("01811000000")},
			func() { want.PhoneNumber, want.PhoneVerified = new(karimsPhone), false }},
		{"no phone", shop.ProfileInput{PhoneNumber: new("")}, func() { want.PhoneNumber = nil }},
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
				t.Errorf("me (-answered +me):\n%s", diff)
			}
		})
	}
}

func TestUpdateProfileRefusals(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.rahim(t)
	payload := a.signIn(t, karimsPhone)
	caller := access.Caller{Bearer: payload.AccessToken}
	for _, c := range []struct {
		name  string
		in    shop.ProfileInput
		code  fault.Code
		field string
	}{
		{"empty name", shop.ProfileInput{Name: new(" ")}, fault.CodeValidationFailed, "name"},
		{"bad email", shop.ProfileInput{Email: new("karim")}, fault.CodeValidationFailed, "email"},
		{"bad phone", shop.ProfileInput{PhoneNumber: new("0181")}, fault.CodeValidationFailed, "phoneNumber"},
		{"neither email nor phone", shop.ProfileInput{PhoneNumber: new("")}, fault.CodeValidationFailed, "email"},
		{"bad address", shop.ProfileInput{Address: &shop.Address{Line1: "House 7"}}, fault.CodeValidationFailed, "address.city"},
		{"bad second address", shop.ProfileInput{Addresses: &[]shop.Address{{Line1: "a", City: "b"}, {City: "b"}}}, fault.CodeValidationFailed, "addresses[1].line1"},
		{"eleven addresses", shop.ProfileInput{Addresses: new(make([]shop.Address, 11))}, fault.CodeValidationFailed, "addresses"},
		{"both kinds", shop.ProfileInput{Address: &shop.Address{Line1: "a", City: "b"}, Addresses: &[]shop.Address{}}, fault.CodeValidationFailed, "address"},
		{"taken phone", shop.ProfileInput{PhoneNumber: new(rahimsPhone)}, fault.CodeCustomerExists, ""},
		{"taken email", shop.ProfileInput{Email: new("RAHIM@example.com")}, fault.CodeCustomerExists, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := a.UpdateProfile(ctx, caller, c.in)
			if e := wantCode(t, err, c.code); c.field != "" && e.Fields[0].Field != c.field {
				t.Errorf("fields: %+v", e.Fields)
			}
			me, err := a.Me(ctx, caller)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&payload.User, me); diff != "" {
				t.Errorf("something changed:\n%s", diff)
			}
		})
	}
	_, err := a.UpdateProfile(ctx, access.Caller{}, shop.ProfileInput{})
	wantCode(t, err, fault.CodeUnauthenticated)
	_, err = a.UpdateProfile(ctx, access.Caller{Bearer: "x"}, shop.ProfileInput{})
	wantCode(t, err, fault.CodeTokenInvalid)
}
