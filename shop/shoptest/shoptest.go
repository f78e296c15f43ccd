// Package shoptest creates working shops on real database files, for the tests of every package.
package shoptest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/postgres"
	"storefront/db/sqlite"
	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/password"
	"storefront/shop/plugin"
)

// Options are the options of [New]. The zero value is a shop in Bangladesh with prices in taka.
type Options struct {
	UID      string          // "" means "test"
	Settings map[string]any  // override the defaults; see shop.Settings
	Clock    *Clock          // nil means the system clock
	Store    *db.Store       // nil means a new store in a temporary directory
	SMS      *SMS            // nil means no text messages
	Mail     *Mail           // nil means no e-mails
	Plugins  []plugin.Plugin // nil means none
	Logger   *slog.Logger    // nil means none
	// PublicURL is the base URL of the shop for providers; "" if there is none.
	PublicURL string
	Media     *Media // nil means that no images can be uploaded
}

// New creates a shop. Its store is closed when the test ends.
func New(tb testing.TB, opts *Options) *shop.Shop {
	tb.Helper()
	if opts == nil {
		opts = &Options{}
	}
	store := opts.Store
	if store == nil {
		store = NewStore(tb, opts.Clock)
	}
	cfg := shop.Config{
		Store: store, ID: db.ID(opts.UID), Sealer: Sealer(opts.UID), Hasher: Hasher(), Plugins: opts.Plugins,
		PublicURL: opts.PublicURL, Logger: opts.Logger, Products: catalogue.NewProductCache(1 << 20),
	}
	if cfg.ID == "" {
		cfg.ID, cfg.Sealer = "test", Sealer("test")
	}
	if opts.Clock != nil {
		cfg.Now = opts.Clock.Now
	}
	if opts.Media != nil {
		cfg.Media = opts.Media
	}
	if opts.Mail != nil {
		cfg.NewMail = opts.Mail.New
	}
	if opts.SMS != nil {
		cfg.NewSMS = opts.SMS.New
	}
	settings := map[string]any{
		"name": "Test Shop", "currency": "BDT", "country": "BD",
		"deliveryCharges": []map[string]any{
			{"_id": "inside-dhaka", "name": "Inside Dhaka", "charge": 7000, "areas": []string{"Dhaka"}},
			{"_id": "outside-dhaka", "name": "Outside Dhaka", "charge": 13000, "freeOver": 500000},
		},
	}
	for name, value := range opts.Settings {
		settings[name] = value
	}
	if _, err := shop.Create(context.Background(), cfg, Raw(tb, settings)); err != nil {
		tb.Fatalf("create shop: %v", err)
	}
	return shop.New(cfg)
}

// NewStore opens a store with the project's schema in a temporary directory, or in the database for
// tests, and closes it when the test ends. If clock is nil it uses the system clock.
func NewStore(tb testing.TB, clock *Clock) *db.Store {
	tb.Helper()
	store, _ := newStore(tb, clock)
	return store
}

// newStore is [NewStore] with the operations of files; these are nil if the store is not in files.
func newStore(tb testing.TB, clock *Clock) (*db.Store, *sqlite.Files) {
	tb.Helper()
	if !dbtest.OnPostgres() {
		store := NewFiles(tb, clock)
		return store.Store, store.Files
	}
	opts := db.Options{Content: shop.Content()}
	if clock != nil {
		opts.Now = clock.Now
	}
	store, _ := dbtest.OpenPostgres(tb, tb.TempDir(), postgres.Options{Schema: Schema(tb), Connections: 8}, opts)
	return store, nil
}

// NewFiles opens a store of files in a temporary directory, and closes it when the test ends.
func NewFiles(tb testing.TB, clock *Clock) *sqlite.Store {
	tb.Helper()
	store := openFiles(tb, tb.TempDir(), clock)
	tb.Cleanup(func() { closeFiles(tb, store) })
	return store
}

func openFiles(tb testing.TB, dir string, clock *Clock) *sqlite.Store {
	tb.Helper()
	opts := sqlite.Options{Schema: Schema(tb), Content: shop.Content()}
	if clock != nil {
		opts.Now = clock.Now
	}
	store, err := sqlite.Open(dir, opts)
	if err != nil {
		tb.Fatalf("open store: %v", err)
	}
	return store
}

func closeFiles(tb testing.TB, store *sqlite.Store) {
	tb.Helper()
	if err := store.Close(context.Background()); err != nil {
		tb.Errorf("close store: %v", err)
	}
}

// Raw returns values as JSON, the input of shop.SetSettings and shop.ConfigurePlugin.
func Raw(tb testing.TB, values map[string]any) map[string]json.RawMessage {
	tb.Helper()
	raw := make(map[string]json.RawMessage, len(values))
	for name, value := range values {
		text, err := json.Marshal(value)
		if err != nil {
			tb.Fatal(err)
		}
		raw[name] = text
	}
	return raw
}

// Clock is a clock that a test advances. It is safe for concurrent use.
type Clock struct {
	mu   sync.Mutex
	now  time.Time
	read func()
}

// NewClock returns a clock that is set to 2026-03-01 06:00 UTC.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)}
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	read := c.read
	c.mu.Unlock()
	if read != nil {
		read()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// OnRead sets a function that is called before the clock is read, such as by each transaction that
// begins. It may advance the clock, and must be safe for concurrent use.
func (c *Clock) OnRead(fn func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read = fn
}

// Advance advances the clock by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Sealer replaces the data folder's key in tests. It binds a secret to tenant and name as the real
// key does, but does not encrypt it.
type Sealer string

// Seal returns plain with a mark of tenant and name.
func (s Sealer) Seal(name string, plain []byte) ([]byte, error) {
	mark := sha256.Sum256([]byte(string(s) + "\x00" + name))
	return append(mark[:], plain...), nil
}

// Open returns what Seal marked for the same tenant and name.
func (s Sealer) Open(name string, sealed []byte) ([]byte, error) {
	mark := sha256.Sum256([]byte(string(s) + "\x00" + name))
	if len(sealed) < len(mark) || string(sealed[:len(mark)]) != string(mark[:]) {
		return nil, errors.New("sealed for another tenant or name")
	}
	return sealed[len(mark):], nil
}

// Hasher returns a password hasher with small parameters, so that tests are fast.
func Hasher() *password.Hasher {
	return password.NewHasher(password.HasherConfig{MemoryKiB: 64, Passes: 1, Slots: 2})
}
