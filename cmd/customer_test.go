package cmd_test

import (
	"strings"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/page"
	"storefront/shop/password"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// register creates an account in a shop and returns its access token.
func (c *console) register(uid, name, phone string) (token string) {
	c.t.Helper()
	all, err := tenants.Open(tenants.Config{
		Dir: c.dir, Engine: dbtest.Database(c.t, c.dir, script(c.t)), Schema: shoptest.Schema(c.t),
		Hasher: password.HasherConfig{MemoryKiB: 64, Passes: 1},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	defer all.Close(c.t.Context())
	s, err := all.FindIncludingSuspended(c.t.Context(), uid)
	if err != nil {
		c.t.Fatal(err)
	}
	payload, err := s.Accounts.Register(c.t.Context(), access.Caller{},
		account.RegisterInput{Name: name, PhoneNumber: &phone, Password: "a long and quiet river"})
	if err != nil {
		c.t.Fatal(err)
	}
	return payload.AccessToken
}

func TestCustomer(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.prints("No customers found.\n", "customer", "list", "acme")
	c.register("acme", "Rahim Uddin", "01711-000000")
	c.register("acme", "Karim Khan", "01811-000000")

	var page page.List[shop.CustomerRow]
	c.json(&page, "customer", "list", "acme", "--search", "rahim")
	if len(page.Nodes) != 1 || page.Nodes[0].Name != "Rahim Uddin" || page.Nodes[0].Kind != shop.CustomerAccounts {
		t.Fatalf("customer list --search: got %+v, want Rahim Uddin", page)
	}
	c.prints("ID                          NAME        PHONE           E-MAIL  ORDERS  SPENT  LAST ORDER\n"+
		"ID  Karim Khan  +8801811000000  -       0       ৳0     -\n\n"+
		"Page 1 of 2, 2 in total; next: --page 2.\n", "customer", "list", "acme", "--limit", "1")
	var reset struct{ Password string }
	c.json(&reset, "customer", "reset-password", "acme", "01711-000000")
	if len(reset.Password) != 19 {
		t.Errorf("got a password of %d characters, want 19", len(reset.Password))
	}
	c.fails(cmd.ExitFailed, "customer list acme", "customer", "reset-password", "acme", "nobody@example.com")
}

func TestKeyRotate(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	var created account.SigningKey
	c.json(&created, "key", "rotate", "acme")
	var keys []account.SigningKey
	c.json(&keys, "key", "list", "acme")
	if len(keys) != 2 || keys[0].ID != created.ID || keys[1].HonouredUntil == nil {
		t.Errorf("got keys %+v, want the new key %s and a retired one", keys, created.ID)
	}
	if out := c.must("key", "list", "acme"); !strings.Contains(out, "active") || !strings.Contains(out, "retired") {
		t.Errorf("key list: got\n%s\nwant an active and a retired key", out)
	}
}

// Guests are listed by phone number, with what they have spent.
func TestCustomer_ListGuests(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("tenant", "set", "acme", "openOrdersPerPhone=9")
	c.must("product", "import", "acme", writeFile(t, "products.csv", strings.ReplaceAll(twoProducts, ",2,active", ",50,active")))
	for range 3 {
		placeOrder(t, c.dir, "acme")
	}
	c.must("order", "cancel", "acme", "1002", "--reason", "test")
	for _, paid := range []string{"1001", "1003"} {
		c.must("order", "confirm", "acme", paid)
		c.must("order", "deliver", "acme", paid)
	}

	type guest struct {
		PhoneNumber, Name string
		Orders            int
		Spent             struct{ Amount int64 }
		LastOrderAt       time.Time
	}
	var guests page.Page[guest]
	c.json(&guests, "customer", "list", "acme", "--guests")
	if len(guests.Nodes) != 1 || guests.Nodes[0].PhoneNumber != "+8801711000000" || guests.Nodes[0].Name != "Rahima Khatun" ||
		guests.Nodes[0].Orders != 3 || guests.Nodes[0].Spent.Amount < 1800_00 || guests.Nodes[0].LastOrderAt.IsZero() {
		t.Errorf("guests: got %+v, want one with three orders, of which two are paid", guests)
	}
	for search, want := range map[string]int{"rahima": 1, "01711-000000": 1, "01711-000001": 0, "karim": 0, "100%": 0} {
		guests = page.Page[guest]{}
		c.json(&guests, "customer", "list", "acme", "--guests", "--search", search)
		if len(guests.Nodes) != want || guests.Meta.TotalCount != want {
			t.Errorf("guests %q: got %+v, want %d", search, guests, want)
		}
	}
	c.prints("ID  NAME           PHONE           E-MAIL  ORDERS  SPENT   LAST ORDER\n"+
		"-   Rahima Khatun  +8801711000000  -       3       ৳1,800  TIME\n",
		"customer", "list", "acme", "--guests")
	c.prints("No customers found.\n", "customer", "list", "acme")
	c.register("acme", "Karim Khan", "01811-000000")
	if out := c.must("customer", "list", "acme", "--kind", "all", "--format", "uid"); !strings.HasPrefix(out, "+8801711000000\n01") {
		t.Errorf("all: got %q, want the guest and then the account without orders", out)
	}
	if out := c.must("customer", "list", "acme", "--kind", "all", "--sort", "spent", "--ascending", "--format", "uid"); !strings.HasPrefix(out, "01") {
		t.Errorf("by spending: got %q, want the account without orders first", out)
	}
	c.fails(cmd.ExitFailed, "lastOrderAt, spent, name", "customer", "list", "acme", "--sort", "age")
	c.fails(cmd.ExitFailed, "account, guest, all", "customer", "list", "acme", "--kind", "member")
}
