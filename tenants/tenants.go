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
)

// Config says what a data folder is opened with.
type Config struct {
	Dir     string            // the data folder; made when missing; must be set
	Schema  string            // text of schema.sql; must be set
	MaxOpen int               // shops whose files stay open at once; 0: what [OpenLimit] chooses
	Key     string            // the key that seals secrets, 32 bytes in base64; "": the file key in Dir
	Hasher  shop.HasherConfig // cost of passwords
	// PublicURL is the server's address as providers know it, without a slash at its end.
	PublicURL string
	// PrivateProviders lets providers be at private and loopback addresses.
	PrivateProviders bool
	// Providers says how couriers and payment gateways are reached.
	Providers Providers
	// LogSMS has text messages kept, logged and shown on a page instead of sent: for development.
	LogSMS bool
	// ProductCache is about how many bytes of memory products take that are kept between requests;
	// 0: 32 MiB.
	ProductCache int64
	// Replica is where every shop's file is copied to while it is written to; its Target must be set.
	// nil: nowhere. Only the process that serves the folder sets it.
	Replica *replica.Config
	Logger  *slog.Logger     // nil: nothing is logged
	Now     func() time.Time // nil: time.Now
	// Observer is told what happens in the shops; nil: nobody is.
	Observer shop.Observer
	// OnCommit is told of each commit; see [db.Options].
	OnCommit func(updates int, took time.Duration, failed bool)
}

// defaultProductCache is in bytes.
const defaultProductCache = 32 << 20

// Tenants are the shops of one data folder. It is safe for concurrent use.
type Tenants struct {
	dir       string
	store     *db.Store
	log       *slog.Logger
	key       *masterKey
	keyText   string // the key, where it is no file
	hasher    *shop.Hasher
	now       func() time.Time
	publicURL string        // the server's address as providers know it
	plugins   []shop.Plugin // of all shops
	client    *provider.Client
	smsLog    *sms.LogSender // takes all text messages; nil: each shop's gateway does
	shops     *shopCache
	products  *shop.ProductCache
	domains   *domainIndex
	replica   *replica.Replicator // nil: there is none
	ready     readiness
	backups   atomic.Pointer[BackupStatus]
	// observer may be nil.
	observer shop.Observer
}

// Open opens a data folder. Close it when done.
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

// open is Open without the key.
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
	options := db.Options{Schema: cfg.Schema, Steps: steps, MaxOpen: cfg.MaxOpen, Now: cfg.Now, Logger: cfg.Logger, OnCommit: cfg.OnCommit}
	replicator := cfg.replicator()
	if replicator != nil { // a nil one in the interface would not be nil
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
	t.hasher, t.products = shop.NewHasher(cfg.Hasher), shop.NewProductCache(cfg.ProductCache)
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

// Close waits for running work until ctx ends, closes the files, and has the replica take the rest.
func (t *Tenants) Close(ctx context.Context) error {
	err := t.store.Close(ctx)
	if t.replica != nil {
		err = errors.Join(err, t.replica.Close(ctx))
	}
	return err
}

// Stats tells what the store of the shops' files is doing.
func (t *Tenants) Stats() db.Stats { return t.store.Stats() }

// LockServer makes this process the only one that serves the data folder until unlock is called.
// The error is db.ErrLocked when another one does.
func (t *Tenants) LockServer() (unlock func() error, err error) { return t.store.LockServer() }

// WaitForServer returns when the server of the data folder, if there is one, has noticed what was
// written here. It is for processes beside the server.
func (t *Tenants) WaitForServer(ctx context.Context) { t.store.WaitForServer(ctx) }

func (t *Tenants) config(id db.ID) shop.Config {
	return shop.Config{
		Store: t.store, ID: id, Sealer: sealer{t.key, id}, Hasher: t.hasher, Now: t.now, PublicURL: t.publicURL, Plugins: t.plugins, NewSMS: t.newSMS, Observer: t.observer,
		Products: t.products,
	}
}

// Shop gives the shop that answers buyers under uid. Codes: tenant_not_found, also for a uid that
// is none; tenant_suspended.
func (t *Tenants) Shop(ctx context.Context, uid string) (*shop.Shop, error) {
	s, settings, err := t.find(ctx, uid)
	if err != nil {
		return nil, err
	}
	if settings.Suspended {
		return nil, &shop.Error{Code: shop.CodeTenantSuspended, Message: "This shop is closed for now."}
	}
	return s, nil
}

// FindIncludingSuspended gives the shop under uid, suspended or not: for providers, whose calls are about money, and
// for the operator. Codes: tenant_not_found.
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

// requireExisting gives uid as the id of a shop that there is.
func (t *Tenants) requireExisting(ctx context.Context, uid string) (db.ID, error) {
	id, err := db.ParseID(uid)
	if err != nil {
		return "", notFound()
	}
	ok, err := t.store.Exists(ctx, id)
	if err != nil {
		return "", fmt.Errorf("look for shop %s: %w", id, err)
	}
	if !ok {
		return "", notFound()
	}
	return id, nil
}

func notFound() error {
	return &shop.Error{Code: shop.CodeTenantNotFound, Message: "No shop has this UID."}
}

// Create makes a shop with the given settings in their JSON form. The error is db.ErrExists when
// the UID is taken. Codes: validation_failed.
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

// parseUID reads the UID of a shop that is to be. Codes: validation_failed.
func parseUID(uid string) (db.ID, error) {
	id, err := db.ParseID(uid)
	if err != nil {
		const rule = "a UID is 3 to 40 lower-case letters, digits and hyphens, with a letter or digit at both ends"
		return "", &shop.Error{Code: shop.CodeValidationFailed, Message: rule, Fields: []shop.FieldError{
			{Field: "uid", Code: shop.CodeInvalidValue, Message: rule},
		}}
	}
	return id, nil
}

// Delete moves the shop's file to the folder trash; nothing is lost until someone empties it.
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

// Suspend closes the shop for buyers; what it owes and is owed goes on. Codes: tenant_not_found.
func (t *Tenants) Suspend(ctx context.Context, uid string) error {
	return t.set(ctx, uid, "suspended", true)
}

// Resume opens a suspended shop again. Codes: tenant_not_found.
func (t *Tenants) Resume(ctx context.Context, uid string) error {
	return t.set(ctx, uid, "suspended", false)
}

// SetMode chooses which of the providers' worlds the shop deals with from now on.
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
	return s.SetSettings(ctx, map[string]json.RawMessage{setting: raw})
}

// Summary is a shop in a list.
type Summary struct {
	UID        string    `json:"uid"`
	Name       string    `json:"name"`
	Currency   string    `json:"currency"`
	Country    string    `json:"country"`
	ActiveMode shop.Mode `json:"activeMode"`
	Suspended  bool      `json:"suspended"`
	Problem    *string   `json:"problem"` // why the shop's file could not be read; null: it could
}

// List gives all shops by UID. A file that can not be read is listed with its problem, so that one
// bad file does not hide the others.
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
		case shop.HasCode(err, shop.CodeTenantNotFound): // deleted since
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

// UIDs gives the UIDs of all shops, sorted, without opening any.
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
