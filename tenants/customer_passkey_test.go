package tenants_test

import (
	"testing"

	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// A customer's passkey that was removed after a backup does not sign in once the backup is restored
// in place, and a clone has none.
func TestCustomer_PasskeyInCopies(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	all := open(t, "", nil)
	s := create(t, all, "acme")
	registered, err := s.Accounts.Register(t.Context(), access.Caller{}, shoptest.RegisterInput("Rahim", "rahim@example.com", ""))
	if err != nil {
		t.Fatal(err)
	}
	rahim := access.Caller{Bearer: registered.AccessToken, Origin: "https://shop.example"}
	proof := account.ProofInput{CurrentPassword: new(shoptest.Password)}
	add := func() string {
		device := shoptest.NewAuthenticator(t, rahim.Origin)
		options, err := s.Accounts.BeginPasskey(t.Context(), rahim, proof)
		if err != nil {
			t.Fatal(err)
		}
		in := account.AddPasskeyInput{Name: "Phone", Credential: device.Create(t, options)}
		added, err := s.Accounts.AddPasskey(t.Context(), rahim, in)
		if err != nil {
			t.Fatal(err)
		}
		return added.ID
	}
	lost, kept := add(), add()
	file := backUp(t, all, "acme")
	if _, err := s.Accounts.RemovePasskey(t.Context(), rahim, lost, proof); err != nil {
		t.Fatal(err)
	}
	for uid, want := range map[string][]string{"acme-copy": {}, "acme": {kept}} {
		options := tenants.RestoreOptions{File: file, Of: "acme"}
		if uid != "acme" {
			options.As = uid
		}
		if _, err := all.Restore(t.Context(), options); err != nil {
			t.Fatal(err)
		}
		copied := find(t, all, uid).Accounts
		signedIn, err := copied.Login(t.Context(), access.Caller{}, account.LoginInput{User: "rahim@example.com", Password: shoptest.Password})
		if err != nil {
			t.Fatal(err)
		}
		list, err := copied.ListPasskeys(t.Context(), access.Caller{Bearer: signedIn.AccessToken})
		if err != nil || len(list.Nodes) != len(want) || len(want) > 0 && list.Nodes[0].ID != want[0] {
			t.Errorf("%s: got %+v, %v, want %q", uid, list, err, want)
		}
	}
}
