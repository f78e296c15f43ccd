package shoptest

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/sqlite"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/password"
	"storefront/shop/staff"
)

// Password is a password that every shop accepts.
const Password = "kolapata-7-nodi"

// Phone numbers of two customers, in E.164.
const (
	RahimsPhone = "+8801711000000"
	KarimsPhone = "+8801811000000"
)

// Accounts is a shop with its customers' accounts and their dependencies.
type Accounts struct {
	*shop.Shop
	*account.Accounts
	Store  *db.Store
	Files  *sqlite.Files // of Store; nil if it is not in files
	Clock  *Clock
	Hasher *password.Hasher
	SMS    *SMS
	Media  *Media
	Config shop.Config
}

// NewAccounts creates the shop "test" in a store of its own.
func NewAccounts(tb testing.TB) *Accounts {
	tb.Helper()
	a := newAccounts()
	a.Store, a.Files = newStore(tb, a.Clock)
	return a.Another(tb, "test")
}

func newAccounts() *Accounts {
	return &Accounts{Clock: NewClock(), Hasher: Hasher(), SMS: &SMS{}, Media: &Media{}}
}

// PreparedAccounts is a shop that many tests start from: its file is filled once per process, then
// copied. [dbtest.RemovePrepared] removes it.
type PreparedAccounts struct {
	folder dbtest.Prepared
	values map[string]string
}

// New returns the shop of [NewAccounts] as fill leaves it, and the values that fill returns.
func (p *PreparedAccounts) New(tb testing.TB, fill func(a *Accounts) map[string]string) (*Accounts, map[string]string) {
	tb.Helper()
	if dbtest.OnPostgres() {
		a := NewAccounts(tb)
		a.Clock.Advance(-time.Millisecond) // as below
		values := fill(a)
		a.Clock.Advance(time.Millisecond)
		return a, values
	}
	dir := filepath.Join(tb.TempDir(), "data")
	p.folder.Copy(tb, dir, "", func(dir string) {
		a := newAccounts()
		a.Clock.Advance(-time.Millisecond) // the tests' records sort after these
		files := openFiles(tb, dir, a.Clock)
		a.Store, a.Files = files.Store, files.Files
		p.values = fill(a.Another(tb, "test"))
		closeFiles(tb, files)
	})
	a := newAccounts()
	files := openFiles(tb, dir, a.Clock)
	tb.Cleanup(func() { closeFiles(tb, files) })
	a.Store, a.Files = files.Store, files.Files
	return a.opened("test"), maps.Clone(p.values)
}

// Another creates another shop in the same store, with the same clock, hasher and SMS gateway.
func (a *Accounts) Another(tb testing.TB, uid string) *Accounts {
	tb.Helper()
	New(tb, &Options{UID: uid, Clock: a.Clock, Store: a.Store})
	return a.opened(uid)
}

// opened opens a shop of the store.
func (a *Accounts) opened(uid string) *Accounts {
	b := *a
	b.Config = shop.Config{
		Store: a.Store, ID: db.ID(uid), Sealer: Sealer(uid), Hasher: a.Hasher, NewSMS: a.SMS.New, Now: a.Clock.Now, Media: a.Media,
	}
	return b.Reopened()
}

// Reopened returns the shop as opened by another process, with nothing read.
func (a *Accounts) Reopened() *Accounts {
	b := *a
	b.Shop = shop.New(b.Config)
	b.Accounts = b.Shop.Accounts
	return &b
}

// Exec runs a statement that must change at least one row of the shop's file.
func (a *Accounts) Exec(tb testing.TB, query string, args ...any) {
	tb.Helper()
	err := a.Store.Update(context.Background(), a.Config.ID, func(_ context.Context, tx *db.Tx) error {
		n, err := tx.Exec(query, args...)
		if err == nil && n == 0 {
			return errors.New("no row changed")
		}
		return err
	})
	if err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
}

// Hold executes a statement in a transaction that commits when release is called. Until then other
// changes of the shop wait, and nobody reads its changes.
func (a *Accounts) Hold(tb testing.TB, query string, args ...any) (release func()) {
	tb.Helper()
	executed, proceed, stored := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		var once sync.Once // the function may run again
		stored <- a.Store.Update(context.Background(), a.Config.ID, func(_ context.Context, tx *db.Tx) error {
			_, err := tx.Exec(query, args...)
			once.Do(func() { close(executed) })
			<-proceed
			return err
		})
	}()
	<-executed
	return func() {
		tb.Helper()
		close(proceed)
		if err := <-stored; err != nil {
			tb.Fatalf("%s: %v", query, err)
		}
	}
}

// Number runs a query on the shop's file that returns one number.
func (a *Accounts) Number(tb testing.TB, query string, args ...any) int64 {
	tb.Helper()
	return Number(tb, a.Store, a.UID(), query, args...)
}

// Set changes settings of the shop as the operator.
func (a *Accounts) Set(tb testing.TB, settings map[string]any) {
	tb.Helper()
	if err := a.SetSettings(context.Background(), access.Operator(), Raw(tb, settings)); err != nil {
		tb.Fatal(err)
	}
}

// InsertOrder inserts an order of a guest, without any account.
func (a *Accounts) InsertOrder(tb testing.TB, id, phone string) {
	tb.Helper()
	a.Exec(tb, `
		INSERT INTO orders (id, number, status, payment_status, fulfillment_status, payment_method, test, customer_name, customer_phone,
			customer_email, line1, line2, area, city, postcode, country, note, delivery_charge_id, delivery_name,
			subtotal, discount, delivery_charge, rounding, total, placed_at, updated_at)
		SELECT ?, coalesce(max(number), 0) + 1, 'pending', 'unpaid', 'unfulfilled', 'cod', 0, 'Rahim Uddin', ?,
			'guest@example.com', 'House 7', 'Flat 3', 'Dhanmondi', 'Dhaka', '1205', 'BD', 'Ring twice', '', '',
			100, 0, 0, 0, 100, 1, 1
		FROM orders`, id, phone)
	a.Exec(tb, `
		INSERT INTO contacts (phone, note, tags, blocked, reason, updated_at, name, orders, spent, last_order_at)
		VALUES (?, '', '[]', 'none', '', 1, 'Rahim Uddin', 1, 0, 1)
		ON CONFLICT (phone) DO UPDATE
		SET name = excluded.name, orders = contacts.orders + 1, last_order_at = 1`, phone)
	MarkPosted(tb, a.Store, a.UID())
}

// InsertLines adds an item to each order that has none.
func (a *Accounts) InsertLines(tb testing.TB) {
	tb.Helper()
	a.Exec(tb, `
		INSERT INTO order_items (order_number, position, product_id, variant_id, title, variant_title, sku, image_url, quantity, unit_price,
			discount, stock_taken)
		SELECT number, 1, 'mug', 'mug', 'Mug', '', '', '', 1, 100, 0, 0
		FROM orders
		WHERE number NOT IN (SELECT order_number FROM order_items)`)
	a.Exec(tb, listLines)
}

// Rahim registers a customer with both an e-mail address and a phone, [RahimsPhone].
func (a *Accounts) Rahim(tb testing.TB) *account.AuthPayload {
	tb.Helper()
	in := RegisterInput("Rahim Uddin", "Rahim@Example.com", "01711-000000")
	payload, err := a.Register(context.Background(), access.Caller{}, in)
	if err != nil {
		tb.Fatal(err)
	}
	return payload
}

// Code requests a code for a phone and returns it.
func (a *Accounts) Code(tb testing.TB, phone string) string {
	tb.Helper()
	if _, err := a.SendOTP(context.Background(), access.Caller{}, account.SendOTPInput{PhoneNumber: phone}); err != nil {
		tb.Fatal(err)
	}
	return a.SMS.Code(tb, phone)
}

// SignIn requests a code for a phone and signs in with it.
func (a *Accounts) SignIn(tb testing.TB, phone string) *account.AuthPayload {
	tb.Helper()
	got, err := a.VerifyOTP(
		context.Background(), access.Caller{}, VerifyInput(phone, a.Code(tb, phone), "Rahim Uddin"),
	)
	if err != nil {
		tb.Fatal(err)
	}
	return got
}

// RegisterInput returns a registration with [Password].
func RegisterInput(name, email, phone string) account.RegisterInput {
	return account.RegisterInput{Name: name, Email: &email, PhoneNumber: &phone, Password: Password}
}

// VerifyInput returns a sign-in with a code.
func VerifyInput(phone, code, name string) account.VerifyOTPInput {
	return account.VerifyOTPInput{PhoneNumber: phone, Code: &code, Name: &name}
}

// WantCode ends the test unless err is a domain error with the code, and returns it.
func WantCode(tb testing.TB, err error, code fault.Code) *fault.Error {
	tb.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != code {
		tb.Fatalf("got %v, want %s", err, code)
	}
	return e
}

// StaffSession inserts a staff member with a session that was proved just now, and returns the
// token of the session.
func (a *Accounts) StaffSession(tb testing.TB, role staff.Role) (session string) {
	tb.Helper()
	session = "session-of-" + string(role)
	hash := sha256.Sum256([]byte(session))
	now := db.Millis(a.Clock.Now())
	a.Exec(tb, `
		INSERT INTO staff (id, name, email, role, grants, denies, status, language, theme, created_at, updated_at)
		VALUES (?, ?, ?, ?, '[]', '[]', 'active', 'en', 'system', ?, ?)`, "id-"+role, "A "+role, role+"@example.com", role, now, now)
	a.Exec(tb, `
		INSERT INTO staff_sessions (hash, id, staff_id, client, agent, created_at, seen_at, proved_at, expires_at)
		VALUES (?, ?, ?, '', '', ?, ?, ?, ?)`, hash[:], session, "id-"+role, now, now, now, now+time.Hour.Milliseconds())
	return session
}

// APIKey creates an API key with these scopes; no scopes means all of them.
func (a *Accounts) APIKey(tb testing.TB, scopes ...string) string {
	tb.Helper()
	in := staff.APIKeyInput{Label: "panel"}
	for _, scope := range scopes {
		in.Scopes = append(in.Scopes, staff.Scope(scope))
	}
	key, _, err := a.Staff.CreateAPIKey(context.Background(), access.Operator(), in)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

// StaffCaller returns the caller with a session of a new staff member.
func (a *Accounts) StaffCaller(tb testing.TB, role staff.Role) access.Caller {
	tb.Helper()
	return access.Caller{Session: a.StaffSession(tb, role)}
}

// KeyCaller returns the caller with a new API key of these scopes; no scopes means all of them.
func (a *Accounts) KeyCaller(tb testing.TB, scopes ...string) access.Caller {
	tb.Helper()
	return access.Caller{Bearer: a.APIKey(tb, scopes...)}
}
