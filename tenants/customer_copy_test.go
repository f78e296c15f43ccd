package tenants_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// An access token that a customer has revoked does not become valid with an older copy of the shop.
// Others remain valid.
func TestAccounts_RestoredInPlace(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	all := open(t, "", nil)
	s := create(t, all, "acme")
	ctx := t.Context()
	register := func(email string) access.Caller {
		t.Helper()
		in := account.RegisterInput{Name: "Rahima", Email: &email, Password: shoptest.Password}
		registered, err := s.Accounts.Register(ctx, access.Caller{}, in)
		if err != nil {
			t.Fatal(err)
		}
		return access.Caller{Bearer: registered.AccessToken}
	}
	left, stays := register("left@example.com"), register("stays@example.com")
	first := backUp(t, all, "acme")
	if _, err := s.Accounts.Logout(ctx, left, account.LogoutInput{Everywhere: new(true)}); err != nil {
		t.Fatal(err)
	}
	second := backUp(t, all, "acme")
	for _, file := range []string{first, second, first} { // the last replaces a copy that knows it as well
		if _, err := all.Restore(ctx, tenants.RestoreOptions{File: file, Of: "acme"}); err != nil {
			t.Fatal(err)
		}
		s = find(t, all, "acme")
		_, err := s.Accounts.Me(ctx, left)
		wantCode(t, err, fault.CodeTokenInvalid)
		if _, err := s.Accounts.Me(ctx, stays); err != nil {
			t.Errorf("a token that was not revoked: got %v", err)
		}
	}
}

// A signing key that was rotated signs no tokens again with an older copy of the shop, and the
// tokens of the newer key remain valid, with a newer copy too.
func TestSigningKeys_RestoredInPlace(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	all := open(t, "", nil)
	s := create(t, all, "acme")
	ctx := t.Context()
	first := backUp(t, all, "acme")
	if _, err := s.Accounts.RotateSigningKey(ctx, access.Operator()); err != nil {
		t.Fatal(err)
	}
	in := account.RegisterInput{Name: "Rahima", Email: new("rahima@example.com"), Password: shoptest.Password}
	registered, err := s.Accounts.Register(ctx, access.Caller{}, in)
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.Accounts.SigningKeys(ctx, access.Operator())
	if err != nil || len(want) != 2 {
		t.Fatalf("got %+v, %v, want two keys", want, err)
	}
	second := backUp(t, all, "acme")
	for _, file := range []string{first, second, first} {
		if _, err := all.Restore(ctx, tenants.RestoreOptions{File: file, Of: "acme"}); err != nil {
			t.Fatal(err)
		}
		s = find(t, all, "acme")
		got, err := s.Accounts.SigningKeys(ctx, access.Operator())
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("keys (-want +got):\n%s%v", diff, err)
		}
		if file != second { // which knows the customer
			continue
		}
		if _, err := s.Accounts.Me(ctx, access.Caller{Bearer: registered.AccessToken}); err != nil {
			t.Errorf("a token of the newer key: got %v", err)
		}
	}
}
