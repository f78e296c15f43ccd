package staff_test

import (
	"testing"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// The server of a storefront must have the scope to place orders: others could invent clients.
func TestCheckAPIKey_Scope(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	for scope, want := range map[string]fault.Code{"analytics.read": fault.CodeForbidden, "orders.write": "", "*": ""} {
		if got := shoptest.ErrorCode(a.Staff.CheckAPIKey(t.Context(), a.KeyCaller(t, scope).Bearer, access.OrdersWrite)); got != want {
			t.Errorf("%s: got %q, want %q", scope, got, want)
		}
	}
}

func TestCreateAPIKey_Limit(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	create := func() (*staff.APIKey, error) {
		_, key, err := a.Staff.CreateAPIKey(t.Context(), access.Operator(), staff.APIKeyInput{Label: "panel"})
		return key, err
	}
	var last *staff.APIKey
	for range 50 {
		var err error
		if last, err = create(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := create()
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	if err := a.Staff.RevokeAPIKey(t.Context(), access.Operator(), last.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := create(); err != nil {
		t.Errorf("after one was revoked: got %v", err)
	}
}
