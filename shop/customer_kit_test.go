package shop_test

import (
	"context"
	"errors"
	"testing"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/password"
	"storefront/shop/shoptest"
)

const goodPassword = "kolapata-7-nodi"

// accounts is a shop with what its accounts rest on.
type accounts struct {
	*shop.Shop
	*account.Accounts
	store  *db.Store
	clock  *shoptest.Clock
	hasher *password.Hasher
	sms    *shoptest.SMS
	cfg    shop.Config
}

func newAccounts(t *testing.T) *accounts {
	t.Helper()
	a := &accounts{clock: shoptest.NewClock(), hasher: shoptest.Hasher(), sms: &shoptest.SMS{}}
	a.store = shoptest.NewStore(t, a.clock)
	return a.another(t, "test")
}

// another makes one more shop in the same store, with the same clock and hasher.
func (a *accounts) another(t *testing.T, uid string) *accounts {
	t.Helper()
	shoptest.New(t, &shoptest.Options{UID: uid, Clock: a.clock, Store: a.store})
	b := *a
	b.cfg = shop.Config{Store: a.store, ID: db.ID(uid), Sealer: shoptest.Sealer(uid), Hasher: a.hasher, NewSMS: a.sms.New, Now: a.clock.Now}
	b.Shop = shop.New(b.cfg)
	b.Accounts = b.Shop.Accounts
	return &b
}

// exec changes the shop's file, as a later use case will.
func (a *accounts) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	err := a.store.Update(context.Background(), a.cfg.ID, func(ctx context.Context, tx *db.Tx) error {
		n, err := tx.Exec(query, args...)
		if err == nil && n == 0 {
			return errors.New("no row changed")
		}
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// rahim registers with both an e-mail address and a phone.
func (a *accounts) rahim(t *testing.T) *account.AuthPayload {
	t.Helper()
	payload, err := a.Register(context.Background(), access.Caller{}, registerInput("Rahim Uddin", "Rahim@Example.com", "01711-000000"))
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

func registerInput(name, email, phone string) account.RegisterInput {
	return account.RegisterInput{Name: name, Email: &email, PhoneNumber: &phone, Password: goodPassword}
}

// wantCode returns the domain error in err, and fails the test unless it has this code.
func wantCode(t *testing.T, err error, code fault.Code) *fault.Error {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	return e
}

// count reads one number from the shop's file.
func (a *accounts) count(t *testing.T, query string, args ...any) (n int64) {
	t.Helper()
	err := a.store.View(context.Background(), a.cfg.ID, func(ctx context.Context, tx *db.Tx) error {
		return tx.QueryRow(query, args...).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// guestOrder writes an order that nobody was signed in for.
func (a *accounts) guestOrder(t *testing.T, id, phone string) {
	t.Helper()
	a.exec(t, `
		INSERT INTO orders (id, number, status, payment_status, fulfillment_status, payment_method, test, customer_name, customer_phone,
			customer_email, line1, line2, area, city, postcode, country, note, delivery_charge_id, delivery_name,
			subtotal, discount, delivery_charge, rounding, total, placed_at, updated_at)
		SELECT ?, coalesce(max(number), 0) + 1, 'pending', 'unpaid', 'unfulfilled', 'cod', 0, 'Rahim Uddin', ?,
			'guest@example.com', 'House 7', 'Flat 3', 'Dhanmondi', 'Dhaka', '1205', 'BD', 'Ring twice', '', '',
			100, 0, 0, 0, 100, 1, 1
		FROM orders`, id, phone)
}

const (
	rahimsPhone = "+8801711000000"
	karimsPhone = "+8801811000000"
)

// code requests a sign-in code and returns it.
func (a *accounts) code(t *testing.T, phone string) string {
	t.Helper()
	if _, err := a.SendOTP(context.Background(), access.Caller{}, account.SendOTPInput{PhoneNumber: phone}); err != nil {
		t.Fatal(err)
	}
	return a.sms.Code(t, phone)
}

func verifyInput(phone, code, name string) account.VerifyOTPInput {
	return account.VerifyOTPInput{PhoneNumber: phone, Code: &code, Name: &name}
}

// signIn goes the whole way of a code.
func (a *accounts) signIn(t *testing.T, phone string) *account.AuthPayload {
	t.Helper()
	got, err := a.VerifyOTP(context.Background(), access.Caller{}, verifyInput(phone, a.code(t, phone), "Rahim Uddin"))
	if err != nil {
		t.Fatal(err)
	}
	return got
}
