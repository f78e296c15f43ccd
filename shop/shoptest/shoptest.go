// Package shoptest makes a working shop on a real file in one line, for the tests of every package.
package shoptest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/password"
)

// Options change what New makes. The zero value is a shop in Bangladesh that sells in taka.
type Options struct {
	UID      string         // "": "test"
	Settings map[string]any // over the defaults; see shop.Settings
	Clock    *Clock         // nil: the real time
	Store    *db.Store      // nil: a store of its own in t.TempDir()
	SMS      *SMS           // nil: the shop sends no text messages
	Plugins  []shop.Plugin  // nil: none
	// PublicURL is where providers reach the shop; "": nowhere.
	PublicURL string
}

// New makes a shop that is closed with the test.
func New(tb testing.TB, opts *Options) *shop.Shop {
	tb.Helper()
	if opts == nil {
		opts = &Options{}
	}
	store := opts.Store
	if store == nil {
		store = NewStore(tb, opts.Clock)
	}
	cfg := shop.Config{Store: store, ID: db.ID(opts.UID), Sealer: Sealer(opts.UID), Hasher: Hasher(), Plugins: opts.Plugins, PublicURL: opts.PublicURL, Products: catalogue.NewProductCache(1 << 20)}
	if cfg.ID == "" {
		cfg.ID, cfg.Sealer = "test", Sealer("test")
	}
	if opts.Clock != nil {
		cfg.Now = opts.Clock.Now
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
	if err := shop.Create(context.Background(), cfg, Raw(tb, settings)); err != nil {
		tb.Fatalf("create shop: %v", err)
	}
	return shop.New(cfg)
}

// NewStore opens a store in t.TempDir() with the project's schema.
func NewStore(tb testing.TB, clock *Clock) *db.Store {
	tb.Helper()
	opts := db.Options{Schema: Schema(tb)}
	if clock != nil {
		opts.Now = clock.Now
	}
	store, err := db.Open(tb.TempDir(), opts)
	if err != nil {
		tb.Fatalf("open store: %v", err)
	}
	tb.Cleanup(func() {
		if err := store.Close(context.Background()); err != nil {
			tb.Errorf("close store: %v", err)
		}
	})
	return store
}

// Schema reads the project's schema.sql, which main.go embeds.
func Schema(tb testing.TB) string {
	tb.Helper()
	_, file, _, _ := runtime.Caller(0)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", "schema.sql"))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// Raw gives values in their JSON form, as shop.SetSettings takes them.
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

// Clock is a time that a test sets.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock gives a clock that stands at a fixed moment.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)}
}

// Now gives the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock on by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Sealer is a stand-in for the data folder's key: it binds tenant and name as the real one does,
// and hides nothing.
type Sealer string

// Seal marks plain with tenant and name.
func (s Sealer) Seal(name string, plain []byte) ([]byte, error) {
	mark := sha256.Sum256([]byte(string(s) + "\x00" + name))
	return append(mark[:], plain...), nil
}

// Open gives back what Seal marked for the same tenant and name.
func (s Sealer) Open(name string, sealed []byte) ([]byte, error) {
	mark := sha256.Sum256([]byte(string(s) + "\x00" + name))
	if len(sealed) < len(mark) || string(sealed[:len(mark)]) != string(mark[:]) {
		return nil, errors.New("sealed for another tenant or name")
	}
	return sealed[len(mark):], nil
}

// Hasher hashes passwords with parameters so small that tests stay fast.
func Hasher() *password.Hasher {
	return password.NewHasher(password.HasherConfig{MemoryKiB: 64, Passes: 1, Slots: 2})
}
