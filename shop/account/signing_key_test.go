package account_test

import (
	"context"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
)

func TestRotateSigningKey(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	old := access.Caller{Bearer: a.Rahim(t).AccessToken}
	first, err := a.SigningKeys(ctx, access.Operator())
	if err != nil || len(first) != 1 || first[0].RetiredAt != nil {
		t.Fatalf("got %+v, %v; want one signing key", first, err)
	}
	a.Clock.Advance(time.Hour)
	rotated, err := a.RotateSigningKey(ctx, access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	keys, err := a.SigningKeys(ctx, access.Operator())
	if err != nil {
		t.Fatal(err)
	}
	if len(keys) != 2 || keys[0].ID != rotated.ID || keys[1].ID != first[0].ID ||
		!keys[1].HonouredUntil.Equal(a.Clock.Now().Add(account.TokenLifetime)) {
		t.Errorf("got keys %+v, want %s and the retired %s", keys, rotated.ID, first[0].ID)
	}
	fresh := access.Caller{Bearer: a.login(t).AccessToken}
	for name, caller := range map[string]access.Caller{"old": old, "new": fresh} {
		if _, err := a.Me(ctx, caller); err != nil {
			t.Errorf("token of the %s key: %v", name, err)
		}
	}
	a.Clock.Advance(account.TokenLifetime - time.Minute)
	_, err = a.Me(ctx, old)
	shoptest.WantCode(t, err, fault.CodeTokenExpired)
	if _, err := a.Me(ctx, fresh); err != nil {
		t.Error(err)
	}
	a.Clock.Advance(2 * time.Minute)
	if _, err := a.RotateSigningKey(ctx, access.Operator()); err != nil {
		t.Fatal(err)
	}
	a.Clock.Advance(time.Minute)
	if _, err := a.RotateSigningKey(ctx, access.Operator()); err != nil {
		t.Fatal(err)
	}
	if n := a.Number(t, `SELECT count(*) FROM secrets WHERE name LIKE 'signing:%'`); n != 3 {
		t.Errorf("got %d keys, want 3: the signing key and two whose tokens may be valid", n)
	}
}

// A token is valid until it expires, however often keys are rotated.
func TestRotateSigningKey_Daily(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	old := access.Caller{Bearer: a.Rahim(t).AccessToken}
	for day := range 7 {
		if _, err := a.Me(ctx, old); err != nil {
			t.Errorf("day %d: %v", day, err)
		}
		if _, err := a.RotateSigningKey(ctx, access.Operator()); err != nil {
			t.Fatal(err)
		}
		a.Clock.Advance(24*time.Hour - time.Second)
	}
	if _, err := a.Me(ctx, old); err != nil {
		t.Errorf("last seconds: %v", err)
	}
}

func (a *accounts) login(t *testing.T) *account.AuthPayload {
	t.Helper()
	got, err := a.Login(context.Background(), access.Caller{}, account.LoginInput{User: rahimsPhone, Password: goodPassword})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
