package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"storefront/db"
	"storefront/provider"
	"storefront/provider/sms"
	"storefront/replica"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/password"
)

// Config configures a data folder.
type Config struct {
	Dir     string                // the data folder, created if missing; required
	Schema  string                // text of schema.sql; required
	MaxOpen int                   // limit of shops whose files are open at once; 0: [OpenLimit]
	Key     string                // the key that seals secrets, 32 bytes in base64; "": the file "key" in Dir
	Hasher  password.HasherConfig // cost of password hashes
	// PublicURL is the server's address for providers and browsers, without a trailing slash.
	PublicURL string
	// PrivateProviders allows requests to SMS gateways at private and loopback addresses.
	PrivateProviders bool
	// Providers configures the addresses of couriers and payment gateways.
	Providers Providers
	// LogSMS logs text messages and shows them on [Tenants.SMSPage] instead of sending them. For
	// development.
	LogSMS bool
	// ProductCache is the approximate size of the product cache in bytes; 0: 32 MiB.
	ProductCache int64
	// Replica configures the continuous replication of every shop's file; its Target is required. nil
	// means no replication. Only the process that serves the data folder may set it.
	Replica *replica.Config
	Logger  *slog.Logger     // nil: discard
	Now     func() time.Time // nil: time.Now
	// Observer receives the metrics of the shops. It may be nil.
	Observer shop.Observer
	// OnCommit is called after each commit; see [db.Options].
	OnCommit func(updates int, took time.Duration, failed bool)
}

// defaultProductCache is in bytes.
const defaultProductCache = 32 << 20

// Tenants is a data folder and its shops. It is safe for concurrent use.
type Tenants struct {
	dir       string
	store     *db.Store
	log       *slog.Logger
	key       *masterKey
	keyText   string // Config.Key; "": the key is in a file
	hasher    *password.Hasher
	now       func() time.Time
	publicURL string
	plugins   []shop.Plugin // of all shops
	client    *provider.Client
	smsLog    *sms.LogSender // sender of all text messages; nil: each shop's own gateway
	shops     *shopCache
	products  *catalogue.ProductCache
	domains   *domainIndex
	replica   *replica.Replicator // may be nil
	ready     readiness
	backups   atomic.Pointer[BackupStatus]
	observer  shop.Observer // may be nil
}

// Open opens a data folder. The caller must close it with [Tenants.Close].
func Open(cfg Config) (*Tenants, error) {
	t, err := open(cfg)
	if err != nil {
		return nil, err
	}
	if t.key, err = openKey(t.store, cfg); err != nil {
		return nil, errors.Join(err, t.store.Close(context.Background()))
	}
	return t, nil
}

// open opens the data folder without reading its key.
func open(cfg Config) (*Tenants, error) {
	if cfg.MaxOpen == 0 {
		cfg.MaxOpen = OpenLimit()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.ProductCache == 0 {
		cfg.ProductCache = defaultProductCache
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	options := db.Options{
		Schema: cfg.Schema, Steps: steps, MaxOpen: cfg.MaxOpen, Content: shop.Content(), Now: cfg.Now, Logger: cfg.Logger, OnCommit: cfg.OnCommit,
	}
	replicator := cfg.replicator()
	if replicator != nil { // a nil *Replicator would be a non-nil Shipper
		options.Shipper = replicator
	}
	store, err := db.Open(cfg.Dir, options)
	if err != nil {
		return nil, fmt.Errorf("open data folder: %w", err)
	}
	t := &Tenants{
		dir: cfg.Dir, keyText: cfg.Key, store: store, replica: replicator, log: cfg.Logger, observer: cfg.Observer,
		now: cfg.Now, publicURL: cfg.PublicURL, plugins: cfg.Providers.plugins(cfg.Now),
	}
	t.client = provider.NewClient(provider.ClientConfig{AllowPrivate: cfg.PrivateProviders})
	if cfg.LogSMS {
		t.smsLog = sms.NewLogSender(cfg.Logger, cfg.Now)
	}
	t.domains = newDomainIndex(t, cfg.Logger)
	t.hasher, t.products = password.NewHasher(cfg.Hasher), catalogue.NewProductCache(cfg.ProductCache)
	t.shops = newShopCache(cfg.MaxOpen, func(id db.ID) *shop.Shop { return shop.New(t.config(id)) })
	return t, nil
}

func openKey(store *db.Store, cfg Config) (*masterKey, error) {
	hasShops, err := store.HasTenants()
	if err != nil {
		return nil, fmt.Errorf("open data folder: %w", err)
	}
	return loadKey(cfg.Dir, cfg.Key, hasShops)
}

// Close waits for running work until ctx ends, closes the files, and sends the remaining changes to
// the replica.
func (t *Tenants) Close(ctx context.Context) error {
	err := t.store.Close(ctx)
	if t.replica != nil {
		err = errors.Join(err, t.replica.Close(ctx))
	}
	return err
}

// Stats returns counters of the shops' files.
func (t *Tenants) Stats() db.Stats { return t.store.Stats() }

// LockServer acquires the lock of the process that serves the data folder. Errors: db.ErrLocked, if
// another process holds it.
func (t *Tenants) LockServer() (unlock func() error, err error) { return t.store.LockServer() }

// WaitForServer waits until a server of the same data folder has seen the commits of this process,
// or returns at once if none is running. Commands that run beside a server call it.
func (t *Tenants) WaitForServer(ctx context.Context) { t.store.WaitForServer(ctx) }

func (t *Tenants) config(id db.ID) shop.Config {
	return shop.Config{
		Store: t.store, ID: id, Sealer: sealer{t.key, id}, Hasher: t.hasher, Now: t.now, PublicURL: t.publicURL,
		Plugins: t.plugins, NewSMS: t.newSMS, Observer: t.observer, Products: t.products,
		Logger: t.log.With("tenant", string(id)),
	}
}

// Shop returns the shop with the given UID if it is open to buyers. Codes: tenant_not_found (also
// for a malformed UID), tenant_suspended.
func (t *Tenants) Shop(ctx context.Context, uid string) (*shop.Shop, error) {
	s, settings, err := t.find(ctx, uid)
	if err != nil {
		return nil, err
	}
	if settings.Suspended {
		return nil, &fault.Error{Code: fault.CodeTenantSuspended, Message: "This shop is temporarily closed."}
	}
	return s, nil
}

// FindIncludingSuspended returns the shop with the given UID, suspended or not. It is for
// providers, whose webhooks are about money, and for the operator. Codes: tenant_not_found.
func (t *Tenants) FindIncludingSuspended(ctx context.Context, uid string) (*shop.Shop, error) {
	s, _, err := t.find(ctx, uid)
	return s, err
}

func (t *Tenants) find(ctx context.Context, uid string) (*shop.Shop, *shop.Settings, error) {
	s := t.shops.find(uid)
	if s == nil {
		id, err := t.requireExisting(ctx, uid)
		if err != nil {
			return nil, nil, err
		}
		s = t.shops.put(id)
	}
	settings, err := s.Settings(ctx)
	if errors.Is(err, db.ErrNoTenant) {
		t.shops.remove(db.ID(uid))
		return nil, nil, notFound()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open shop %s: %w", uid, err)
	}
	return s, settings, nil
}

// requireExisting returns uid as the ID of an existing shop. Codes: tenant_not_found.
func (t *Tenants) requireExisting(ctx context.Context, uid string) (db.ID, error) {
	id, err := db.ParseID(uid)
	if err != nil {
		return "", notFound()
	}
	ok, err := t.store.Exists(ctx, id)
	if err != nil {
		return "", fmt.Errorf("find shop %s: %w", id, err)
	}
	if !ok {
		return "", notFound()
	}
	return id, nil
}

func notFound() error {
	return &fault.Error{Code: fault.CodeTenantNotFound, Message: "No shop has this UID."}
}

// Create creates a shop with the given settings in their JSON form. Errors: db.ErrExists, if the
// UID is in use. Codes: validation_failed.
func (t *Tenants) Create(ctx context.Context, uid string, settings map[string]json.RawMessage) (*shop.Shop, error) {
	id, err := parseUID(uid)
	if err != nil {
		return nil, err
	}
	if err := shop.Create(ctx, t.config(id), settings); err != nil {
		return nil, fmt.Errorf("create shop %s: %w", id, err)
	}
	return t.shops.put(id), nil
}

// parseUID parses the UID of a new shop. Codes: validation_failed.
func parseUID(uid string) (db.ID, error) {
	id, err := db.ParseID(uid)
	if err != nil {
		const rule = "The UID must be 3 to 40 lower-case letters, digits and hyphens, and start and end with a letter or digit."
		return "", &fault.Error{Code: fault.CodeValidationFailed, Message: rule, Fields: []fault.FieldError{
			{Field: "uid", Code: fault.CodeInvalidValue, Message: rule},
		}}
	}
	return id, nil
}

// Delete moves the shop's file to the folder "trash", from which it can be restored.
// Codes: tenant_not_found.
func (t *Tenants) Delete(ctx context.Context, uid string) error {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return err
	}
	err = t.store.Drop(ctx, id)
	if errors.Is(err, db.ErrNoTenant) {
		return notFound()
	}
	if err != nil {
		return fmt.Errorf("delete shop %s: %w", id, err)
	}
	t.shops.remove(id)
	return nil
}

// Suspend closes the shop to buyers. Webhooks and background work on its orders continue.
// Codes: tenant_not_found.
func (t *Tenants) Suspend(ctx context.Context, uid string) error {
	return t.set(ctx, uid, "suspended", true)
}

// Resume reopens a suspended shop. Codes: tenant_not_found.
func (t *Tenants) Resume(ctx context.Context, uid string) error {
	return t.set(ctx, uid, "suspended", false)
}

// SetMode sets the mode in which the shop uses its providers.
// Codes: tenant_not_found, validation_failed.
func (t *Tenants) SetMode(ctx context.Context, uid string, mode shop.Mode) error {
	return t.set(ctx, uid, "activeMode", mode)
}

func (t *Tenants) set(ctx context.Context, uid, setting string, value any) error {
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("set %s: %w", setting, err)
	}
	return s.SetSettings(ctx, access.Operator(), map[string]json.RawMessage{setting: raw})
}

// Summary is a shop in a list.
type Summary struct {
	UID        string    `json:"uid"`
	Name       string    `json:"name"`
	Currency   string    `json:"currency"`
	Country    string    `json:"country"`
	ActiveMode shop.Mode `json:"activeMode"`
	Suspended  bool      `json:"suspended"`
	Problem    *string   `json:"problem"` // why the shop's file cannot be read; null: no problem
}

// List returns all shops, sorted by UID. A shop whose file cannot be read is listed with its
// problem and does not hide the others.
func (t *Tenants) List(ctx context.Context) ([]Summary, error) {
	ids, err := t.store.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list shops: %w", err)
	}
	list := make([]Summary, 0, len(ids))
	for _, id := range ids {
		_, settings, err := t.find(ctx, string(id))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case fault.HasCode(err, fault.CodeTenantNotFound): // deleted meanwhile
		case err != nil:
			problem := err.Error()
			list = append(list, Summary{UID: string(id), Problem: &problem})
		default:
			list = append(list, Summary{
				UID: string(id), Name: settings.Name, Currency: settings.Currency, Country: settings.Country,
				ActiveMode: settings.ActiveMode, Suspended: settings.Suspended,
			})
		}
	}
	return list, nil
}

// UIDs returns the UIDs of all shops, sorted. It opens no file.
func (t *Tenants) UIDs(ctx context.Context) ([]string, error) {
	ids, err := t.store.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list shops: %w", err)
	}
	uids := make([]string, len(ids))
	for i, id := range ids {
		uids[i] = string(id)
	}
	return uids, nil
}
