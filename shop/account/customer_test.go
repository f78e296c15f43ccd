package account_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/shoptest"
)

func TestRegister(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	ptr := func(s string) *string { return &s }
	for _, c := range []struct {
		name string
		in   account.RegisterInput
		want account.Customer
	}{
		{"phone only", account.RegisterInput{Name: "Karim", PhoneNumber: ptr("০১৮১১-০০০০০০"), Password: goodPassword},
			account.Customer{Name: "Karim", PhoneNumber: ptr("+8801811000000")}},
		{"email only", account.RegisterInput{Name: "Salma", Email: ptr("salma@example.com"), Password: goodPassword},
			account.Customer{Name: "Salma", Email: ptr("salma@example.com")}},
		{"both, as people type them", shoptest.RegisterInput("  সালমা \t খাতুন ", " Salma@Example.COM ", "+880 1711-000000"),
			account.Customer{Name: "সালমা খাতুন", Email: ptr("salma@example.com"), PhoneNumber: ptr("+8801711000000")}},
		{"a form's empty field", shoptest.RegisterInput("Karim", "", "01811000000"),
			account.Customer{Name: "Karim", PhoneNumber: ptr("+8801811000000")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := newAccounts(t)
			got, err := a.Register(ctx, access.Caller{}, c.in)
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			want.ID, want.Addresses, want.CreatedAt = got.User.ID, []account.Address{}, a.Clock.Now()
			if diff := cmp.Diff(want, got.User); diff != "" {
				t.Errorf("user (-want +got):\n%s", diff)
			}
			if got.User.ID == "" || got.PasswordResetRequired {
				t.Errorf("got %+v", got)
			}
			me, err := a.Me(ctx, access.Caller{Bearer: got.AccessToken})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&got.User, me); diff != "" {
				t.Errorf("me (-registered +me):\n%s", diff)
			}
		})
	}
}

func TestRegister_Invalid(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	for _, c := range []struct {
		name   string
		change func(*account.RegisterInput)
		code   fault.Code
		fields map[string]fault.Code
	}{
		{"no name", func(in *account.RegisterInput) { in.Name = " \n" },
			fault.CodeValidationFailed, map[string]fault.Code{"name": fault.CodeRequired}},
		{"long name", func(in *account.RegisterInput) { in.Name = strings.Repeat("x", input.MaxName+1) },
			fault.CodeValidationFailed, map[string]fault.Code{"name": fault.CodeInvalidValue}},
		{"control character", func(in *account.RegisterInput) { in.Name = "Rahim\x1b[2J" },
			fault.CodeValidationFailed, map[string]fault.Code{"name": fault.CodeInvalidValue}},
		{"neither email nor phone", func(in *account.RegisterInput) { in.Email, in.PhoneNumber = nil, nil },
			fault.CodeValidationFailed, map[string]fault.Code{"email": fault.CodeRequired}},
		{"bad phone", func(in *account.RegisterInput) { *in.PhoneNumber = "0171100000" },
			fault.CodeValidationFailed, map[string]fault.Code{"phoneNumber": fault.CodeInvalidValue}},
		{"bad email", func(in *account.RegisterInput) { *in.Email = "rahim" },
			fault.CodeValidationFailed, map[string]fault.Code{"email": fault.CodeInvalidValue}},
		{"no password", func(in *account.RegisterInput) { in.Password = "" },
			fault.CodeValidationFailed, map[string]fault.Code{"password": fault.CodeRequired}},
		{"short password", func(in *account.RegisterInput) { in.Password = "seven77" },
			fault.CodePasswordRejected, map[string]fault.Code{"password": fault.CodePasswordRejected}},
		{"phone as password", func(in *account.RegisterInput) { in.Password = "01711000000" },
			fault.CodePasswordRejected, map[string]fault.Code{"password": fault.CodePasswordRejected}},
		{"everything at once", func(in *account.RegisterInput) { in.Name, *in.Email, *in.PhoneNumber, in.Password = "", "x", "y", "z" },
			fault.CodeValidationFailed, map[string]fault.Code{
				"name": fault.CodeRequired, "email": fault.CodeInvalidValue,
				"phoneNumber": fault.CodeInvalidValue, "password": fault.CodePasswordRejected,
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := shoptest.RegisterInput("Rahim Uddin", "rahim@example.com", "01711000000")
			c.change(&in)
			before := a.Hasher.Hashes()
			_, err := a.Register(context.Background(), access.Caller{}, in)
			e := shoptest.WantCode(t, err, c.code)
			got := map[string]fault.Code{}
			for _, f := range e.Fields {
				got[f.Field] = f.Code
			}
			if diff := cmp.Diff(c.fields, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if n := a.Hasher.Hashes() - before; n != 0 {
				t.Errorf("got %d hashes for an invalid input, want none", n)
			}
		})
	}
}

func TestRegister_CustomerExists(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.Rahim(t)
	for _, c := range []struct{ name, email, phone string }{
		{"email", "RAHIM@example.com", "01811000000"},
		{"phone", "other@example.com", "+880 1711 000000"},
		{"both", "rahim@example.com", "01711000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := a.Hasher.Hashes()
			_, err := a.Register(ctx, access.Caller{}, shoptest.RegisterInput("Somebody", c.email, c.phone))
			shoptest.WantCode(t, err, fault.CodeCustomerExists)
			if n := a.Hasher.Hashes() - before; n != 1 {
				t.Errorf("got %d hashes, want 1 as for a free address", n)
			}
		})
	}
	t.Run("in another shop", func(t *testing.T) {
		a.Another(t, "other-shop").Rahim(t)
	})
}

func TestRegister_Concurrent(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	const callers = 20
	errs := make([]error, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			_, errs[i] = a.Register(ctx, access.Caller{}, shoptest.RegisterInput("Rahim", fmt.Sprintf("rahim%d@example.com", i), "01711000000"))
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			shoptest.WantCode(t, err, fault.CodeCustomerExists)
		}
	}
	if won != 1 {
		t.Errorf("%d of %d registrations succeeded, want 1", won, callers)
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	registered := a.Rahim(t)
	for _, user := range []string{"rahim@example.com", " RAHIM@Example.com ", "01711-000000", "+8801711000000", "০১৭১১০০০০০০"} {
		t.Run(user, func(t *testing.T) {
			got, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: user, Password: goodPassword})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(registered.User, got.User); diff != "" {
				t.Errorf("user (-registered +login):\n%s", diff)
			}
			if _, err := a.Me(ctx, access.Caller{Bearer: got.AccessToken}); err != nil {
				t.Errorf("me: %v", err)
			}
		})
	}
	t.Run("password in another normal form", func(t *testing.T) {
		in := shoptest.RegisterInput("Zoe", "zoe@example.com", "01811000000")
		in.Password = "Zoe\u0308 loves rain"
		if _, err := a.Register(ctx, access.Caller{}, in); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: "zoe@example.com", Password: "Zo\u00eb loves rain"}); err != nil {
			t.Error(err)
		}
	})
}

// A failed login does not reveal whether the account exists, neither by its error nor by the work
// done.
func TestLogin_SameErrorForUnknownAccount(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.Rahim(t)
	if _, err := a.Register(ctx, access.Caller{}, shoptest.RegisterInput("Karim", "karim@example.com", "01811000000")); err != nil {
		t.Fatal(err)
	}
	a.Exec(t, `UPDATE customers SET password_hash = NULL WHERE email = ?`, "karim@example.com")
	var first *fault.Error
	for _, c := range []struct{ name, user, password string }{
		{"wrong password", "rahim@example.com", "not " + goodPassword},
		{"wrong password by phone", "01711000000", "not " + goodPassword},
		{"another letter case", "rahim@example.com", strings.ToUpper(goodPassword)},
		{"endless password", "rahim@example.com", strings.Repeat("x", 1<<20)},
		{"no password set", "karim@example.com", goodPassword},
		{"unknown email", "nobody@example.com", goodPassword},
		{"unknown phone", "01911000000", goodPassword},
		{"neither email nor phone", "rahim", goodPassword},
		{"hostile", "' OR 1=1 --", goodPassword},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := a.Hasher.Hashes()
			_, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: c.user, Password: c.password})
			e := shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
			if first == nil {
				first = e
			}
			if diff := cmp.Diff(first, e); diff != "" {
				t.Errorf("errors differ (-first +this):\n%s", diff)
			}
			if n := a.Hasher.Hashes() - before; n != 1 {
				t.Errorf("got %d hashes, want 1", n)
			}
		})
	}
}

func TestLogin_Error(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := newAccounts(t)
	a.Rahim(t)
	t.Run("validation_failed", func(t *testing.T) {
		_, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: " "})
		e := shoptest.WantCode(t, err, fault.CodeValidationFailed)
		if len(e.Fields) != 2 || e.Fields[0].Field != "user" || e.Fields[1].Field != "password" {
			t.Errorf("got fields %+v", e.Fields)
		}
	})
	t.Run("password_reset_required", func(t *testing.T) {
		a.Exec(t, `UPDATE customers SET password_reset = 1 WHERE email = ?`, "rahim@example.com")
		_, err := a.Login(ctx, access.Caller{}, account.LoginInput{User: "rahim@example.com", Password: goodPassword})
		shoptest.WantCode(t, err, fault.CodePasswordResetRequired)
		_, err = a.Login(ctx, access.Caller{}, account.LoginInput{User: "rahim@example.com", Password: "a wrong one"})
		shoptest.WantCode(t, err, fault.CodeInvalidCredentials)
	})
}

func TestRegister_EmailFormat(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	register := func(email string) error {
		in := shoptest.RegisterInput("Rahim", email, "")
		_, err := a.Register(context.Background(), access.Caller{}, in)
		return err
	}
	for _, email := range []string{"a.b+tag@sub.example.co", "o'neil@example.com", "x@xn--p1ai.example"} {
		if err := register(email); err != nil {
			t.Errorf("%s: %v", email, err)
		}
	}
	long := strings.Repeat("x", 60) + "@" + strings.Repeat(strings.Repeat("y", 60)+".", 4) + "com"
	for _, email := range []string{
		"rahim", "rahim@", "@example.com", "rahim@localhost", "a@b@example.com", "Rahim <rahim@example.com>",
		`"rahim uddin"@example.com`, "rahim@[127.0.0.1].x", "a@example.com, b@example.com", "rahim@example.com\r\nBcc: x@example.com",
		"rahim @example.com", "rahim@example..com", long,
	} {
		if err := register(email); !fault.HasCode(err, fault.CodeValidationFailed) {
			t.Errorf("%q: %v", email, err)
		}
	}
}

func TestMe_Addresses(t *testing.T) {
	t.Parallel()
	a := newAccounts(t)
	payload := a.Rahim(t)
	a.Exec(t, `
		INSERT INTO addresses (id, customer_id, position, line1, line2, area, city, postcode, country)
		VALUES ('b', ?, 2, 'Station Road', '', '', 'Sylhet', '', 'BD'), ('a', ?, 1, 'House 7', 'Flat 3', 'Dhanmondi', 'Dhaka', '1205', 'BD')`,
		payload.User.ID, payload.User.ID)
	me, err := a.Me(context.Background(), access.Caller{Bearer: payload.AccessToken})
	if err != nil {
		t.Fatal(err)
	}
	ptr := func(s string) *string { return &s }
	want := []account.Address{
		{Line1: "House 7", Line2: ptr("Flat 3"), Area: ptr("Dhanmondi"), City: "Dhaka", Postcode: ptr("1205"), Country: ptr("BD")},
		{Line1: "Station Road", City: "Sylhet", Country: ptr("BD")},
	}
	if diff := cmp.Diff(want, me.Addresses); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
}
