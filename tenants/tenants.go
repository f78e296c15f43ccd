package tenants

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"storefront/db"
	"storefront/db/postgres"
	"storefront/db/sqlite"
	"storefront/media"
	"storefront/provider"
	"storefront/provider/inbox"
	"storefront/provider/mail"
	"storefront/provider/push"
	"storefront/provider/telegram"
	"storefront/provider/webhook"
	"storefront/replica"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/dispatch"
	"storefront/shop/endpoint"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/notify"
	"storefront/shop/password"
	"storefront/shop/plugin"
	"storefront/tenants/album"
)

// Config configures a data folder.
type Config struct {
	Dir     string // the data folder, created if missing; required
	Schema  string // text of schema.sql; required
	Steps   fs.FS  // the schema steps, as in the folder steps; nil means this program's
	MaxOpen int    // limit of shops with open files; 0 means [OpenLimit]
	// Engine is the address of a PostgreSQL database for shops; "" means files only.
	Engine            string
	EngineConnections int                   // limit of connections to it; 0 means 12
	Key               string                // the key that seals secrets, 32 bytes in base64; "" means the file "key" in Dir
	Hasher            password.HasherConfig // cost of password hashes
	// PublicURL is the server's address for providers and browsers, without a trailing slash.
	PublicURL string
	// DashboardURL is PublicURL with a host name that serves the dashboard. "" means PublicURL.
	DashboardURL string
	// OwnHosts are further host names of the server, which no shop can have.
	OwnHosts []string
	// HasCertificate reports whether the server has had a certificate of a name, which proves that its
	// DNS points here; nil means never.
	HasCertificate func(name string) bool
	// PrivateProviders allows connections to SMS gateways and mail servers at private and loopback
	// addresses.
	PrivateProviders bool
	// MailRootCAs verify the certificates of mail servers; nil means the system's roots.
	MailRootCAs *x509.CertPool
	// Providers configures the addresses of couriers and payment gateways.
	Providers Providers
	// DemoShop is the UID of the shop that DemoLink signs in to as its owner, any number of times. For
	// development.
	DemoShop, DemoLink string
	// LogMessages logs text messages and e-mails and shows them on [Tenants.MessagesPage] instead of
	// sending them. For development.
	LogMessages bool
	// ProductCache is the approximate size of the product cache in bytes; 0 means 32 MiB.
	ProductCache int64
	// Command is set by every process but the one that serves the data folder: a shop with an older
	// schema is refused (db.ErrOutdated), except by [Tenants.Migrate], and the files that root creates
	// belong to the folder's owner.
	Command bool
	// MigrateDatabase makes a command migrate the database, as a server does at its start.
	MigrateDatabase bool
	// Replica configures the continuous replication of every shop's file; its Target is required. nil
	// means no replication. Only the process that serves the data folder may set it.
	Replica *replica.Config
	Logger  *slog.Logger     // nil discards all records
	Now     func() time.Time // nil means time.Now
	// Media stores the files of uploaded images; nil means the folder "media" in Dir.
	Media media.Store
	// MediaAddress is the address of Media, the same for all servers of a database.
	MediaAddress string
	// MediaQuota limits the bytes of each shop's uploaded images; 0 means 5 GiB.
	MediaQuota int64
	// DomainPause is the interval of [Tenants.WatchDomains]; 0 means 5 s.
	DomainPause time.Duration
	// WebhookTimeout limits the response to a shop's webhook; 0 means 15 s.
	WebhookTimeout time.Duration
	// Observer receives the metrics of the shops. It may be nil.
	Observer shop.Observer
	// OnCommit is called after each commit; see [sqlite.Options].
	OnCommit func(updates int, took time.Duration, failed bool)
}

// defaultProductCache is in bytes.
const defaultProductCache = 32 << 20

// Tenants is a data folder and its shops. It is safe for concurrent use.
type Tenants struct {
	dir       string
	schema    schema
	store     *db.Store
	files     *sqlite.Files
	engines   *engines // nil if shops are only in files
	log       *slog.Logger
	key       *masterKey
	keyText   string // Config.Key; "" if the key is in a file
	hasher    *password.Hasher
	now       func() time.Time
	publicURL string
	dashboard string          // Config.DashboardURL, or the public URL
	ownHosts  map[string]bool // in canonical form
	// see Config.HasCertificate
	hasCertificate func(name string) bool
	plugins        []plugin.Plugin // of all shops
	client         *provider.Client
	inbox          *inbox.Inbox // of all text messages and e-mails; nil means each shop's own gateway and mail server
	mail           mail.Options
	shops          *shopCache
	committed      *commits // for the jobs of the shops
	announced      *commits // for the announcing jobs
	products       *catalogue.ProductCache
	jobs           *job.Runner
	webhooks       *dispatch.Runner
	sender         *webhook.Sender
	notify         *dispatch.Runner
	push           *push.Sender
	telegram       *telegram.Bot
	insecure       bool // accept webhook endpoints without TLS
	domains        *shopIndex
	domainPause    time.Duration
	media          media.Store
	mediaAddress   string // Config.MediaAddress
	images         *media.Processor
	fetcher        *album.Fetcher
	quota          int64               // of a shop's images
	unused         time.Duration       // retention of the files of unused images; see [shop.Config]
	replica        *replica.Replicator // may be nil
	ready          readiness
	sealed         sealedShops
	setup          setupLink
	demoShop       db.ID
	demoLink       string // "" if there is none
	backups        atomic.Pointer[BackupStatus]
	observer       shop.Observer // may be nil
}

// Open opens a data folder. The caller must close it with [Tenants.Close].
func Open(cfg Config) (*Tenants, error) {
	t, err := open(cfg)
	if err != nil {
		return nil, err
	}
	if err := t.openKey(cfg); err != nil {
		return nil, errors.Join(err, t.store.Close(context.Background()))
	}
	if t.replica != nil {
		t.replica.UseOwner(t.key.owner())
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
	schema := newSchema(cfg)
	options := sqlite.Options{
		Command: cfg.Command, Schema: schema.text, Steps: schema.steps, MaxOpen: cfg.MaxOpen, Content: shop.Content(), Now: cfg.Now,
		Derived: shop.OmittedTables(), Unpack: schema.unpack,
		Logger: cfg.Logger, OnCommit: cfg.OnCommit,
	}
	replicator := cfg.replicator()
	if replicator != nil { // a nil *Replicator would be a non-nil Shipper
		options.Shipper = replicator
	}
	files, err := sqlite.OpenFiles(cfg.Dir, options)
	if err != nil {
		return nil, fmt.Errorf("open data folder: %w", err)
	}
	t := &Tenants{
		dir: cfg.Dir, schema: schema, keyText: cfg.Key, files: files, replica: replicator, log: cfg.Logger, observer: cfg.Observer,
		committed: newCommits(), announced: newCommits(),
		now: cfg.Now, demoShop: db.ID(cfg.DemoShop), demoLink: cfg.DemoLink, publicURL: cfg.PublicURL, plugins: cfg.Providers.plugins(cfg.Now),
		dashboard: cmp.Or(cfg.DashboardURL, cfg.PublicURL), hasCertificate: cfg.HasCertificate,
	}
	t.ownHosts = ownHosts(&cfg)
	if cfg.Replica != nil {
		t.unused = cfg.Replica.Reach()
	}
	t.images, t.fetcher, t.quota = media.NewProcessor(), album.NewFetcher(cfg.PrivateProviders), cfg.MediaQuota
	t.mediaAddress = cfg.MediaAddress
	if t.media = cfg.Media; t.media == nil {
		folder := media.NewFolder(filepath.Join(cfg.Dir, album.Dir), files.SetOwner)
		t.media = folder
		if replicator != nil {
			t.media = album.NewReplica(folder, cfg.Replica, replicator.Claim, cfg.Logger)
		}
	}
	engine := files.Engine()
	if cfg.Engine != "" {
		t.engines = &engines{
			dir: cfg.Dir, files: files, own: engine, open: openDatabase(cfg, t), log: cfg.Logger, exportCopy: t.exportCopy,
			connections: cmp.Or(cfg.EngineConnections, postgres.DefaultConnections),
		}
		engine = t.engines
	}
	t.store = db.New(engine, db.Options{
		Content: options.Content, Derived: options.Derived, Now: cfg.Now, OnCommit: cfg.OnCommit, Committed: t.onCommit, Logger: cfg.Logger,
	})
	t.client = provider.NewClient(provider.ClientConfig{AllowPrivate: cfg.PrivateProviders})
	t.mail = mail.Options{AllowPrivate: cfg.PrivateProviders, RootCAs: cfg.MailRootCAs}
	if cfg.LogMessages {
		t.inbox = inbox.New(cfg.Logger, cfg.Now)
	}
	t.jobs, t.webhooks = job.NewRunner(), endpoint.NewRunner()
	t.sender = webhook.New(provider.ClientConfig{AllowPrivate: cfg.PrivateProviders, Timeout: cfg.WebhookTimeout})
	t.insecure = cfg.PrivateProviders
	t.notify, t.push = notify.NewRunner(), push.New(provider.ClientConfig{AllowPrivate: cfg.PrivateProviders}, pushContact(cfg.PublicURL), cfg.Now)
	t.telegram = telegram.New(provider.ClientConfig{AllowPrivate: cfg.PrivateProviders}, cfg.Providers.Telegram)
	t.domains, t.domainPause = newShopIndex(t, cfg.Logger), cmp.Or(cfg.DomainPause, domainPause)
	t.hasher, t.products = password.NewHasher(cfg.Hasher), catalogue.NewProductCache(cfg.ProductCache)
	t.shops = newShopCache(cfg.MaxOpen, func(id db.ID) *shop.Shop { return shop.New(t.config(id)) })
	return t, nil
}

// openKey reads the key, or creates one if there is no shop.
func (t *Tenants) openKey(cfg Config) error {
	hasShops, err := t.files.HasTenants()
	if err != nil {
		return fmt.Errorf("open data folder: %w", err)
	}
	var database *postgres.Engine
	if t.engines != nil {
		owner := ""
		if database, err = t.engines.database(context.Background()); err == nil {
			owner, err = database.Owner(context.Background())
		}
		if errors.Is(err, postgres.ErrAddress) {
			return fmt.Errorf("open database: %w", err)
		}
		if err != nil {
			t.log.Error("database not available, serving the shops in files; trying again every second", "error", err)
		}
		hasShops = hasShops || owner != "" || err != nil
	}
	t.key, err = loadKey(cfg.Dir, cfg.Key, hasShops)
	if err != nil {
		return err
	}
	if database == nil {
		return nil
	}
	return checkOwner(context.Background(), database, t.key)
}

// Close waits for running work until ctx ends, closes the files, and sends the remaining changes to
// the replica. Files that are in use at a deadline stay open until the process ends.
func (t *Tenants) Close(ctx context.Context) error {
	t.domains.close(ctx)
	t.jobs.Close(ctx)
	t.webhooks.Close(ctx)
	t.notify.Close(ctx)
	err := t.store.Close(ctx)
	if errors.Is(err, context.DeadlineExceeded) { // what was acknowledged is on the disk
		t.log.Warn("shops not closed in time, their files are recovered at the next start", "error", err)
		err = nil
	}
	if t.replica != nil {
		err = errors.Join(err, t.replica.Close(ctx))
	}
	return err
}

// onCommit records a commit of this process to a shop.
func (t *Tenants) onCommit(id db.ID) {
	t.committed.add(id)
	t.announced.add(id)
}

// pushContact returns the contact address of the operator for push services: the server's address,
// if browsers use it too.
func pushContact(publicURL string) string {
	if strings.HasPrefix(publicURL, "https://") {
		return publicURL
	}
	return "mailto:postmaster@localhost"
}

// Stats returns counters of the shops' files.
func (t *Tenants) Stats() db.Stats { return t.store.Stats() }

// LockServer acquires the lock of the process that serves the data folder. Errors: db.ErrLocked, if
// another process holds it.
func (t *Tenants) LockServer() (unlock func() error, err error) { return t.files.LockServer() }

// WaitForServer waits until a server of the same data folder, and the database's servers, have seen
// the commits of this process. Commands that run beside a server call it.
func (t *Tenants) WaitForServer(ctx context.Context) {
	t.files.WaitForServer(ctx)
	if t.engines == nil {
		return
	}
	if p := t.engines.remote.Load(); p != nil {
		p.WaitForServers(ctx)
	}
}

func (t *Tenants) config(id db.ID) shop.Config {
	demoLink := ""
	if id == t.demoShop {
		demoLink = t.demoLink
	}
	return shop.Config{
		DemoLink: demoLink,
		IsMoving: func() bool { return t.engines != nil && t.engines.isMoving(id) },
		IsWorking: func(ctx context.Context) bool {
			works, err := t.worksOn(ctx, id)
			return err == nil && works
		},
		Store: t.store, ID: id, Sealer: observedSealer{sealer{t.key, id}, t}, Hasher: t.hasher, Now: t.now, PublicURL: t.publicURL,
		DashboardURL: t.dashboard,
		Plugins:      t.plugins, NewSMS: t.newSMS, NewMail: t.newMail, Observer: t.observer, Products: t.products,
		Webhooks: t.webhooks, WebhookSender: t.sender, InsecureWebhooks: t.insecure,
		Notifications: t.notify, Push: t.push, Telegram: t.telegram,
		Jobs: t.jobs, Media: album.NewUploads(t.images, t.fetcher, t.media, string(id)), MediaQuota: t.quota, MediaRetention: t.unused,
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
	if err := settings.CheckOpen(); err != nil {
		return nil, err
	}
	return s, nil
}

// FindIncludingSuspended returns the shop with the given UID, suspended or not. It is for the
// operator and for providers, since their webhooks concern money. Codes: tenant_not_found.
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
	created, err := shop.Create(ctx, t.config(id), settings)
	if err != nil {
		return nil, fmt.Errorf("create shop %s: %w", id, err)
	}
	t.domains.addCreated(id, created)
	return t.shops.put(id), nil
}

// CheckNew returns the error with which [Tenants.Create] would reject a shop, and creates nothing.
// Errors: db.ErrExists. Codes: validation_failed.
func (t *Tenants) CheckNew(ctx context.Context, uid string, settings map[string]json.RawMessage) error {
	id, err := parseUID(uid)
	if err != nil {
		return err
	}
	exists, err := t.store.Exists(ctx, id)
	switch {
	case err != nil:
		return fmt.Errorf("find shop %s: %w", id, err)
	case exists:
		return fmt.Errorf("shop %s: %w", id, db.ErrExists)
	}
	return shop.CheckSettings(settings)
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

// Delete moves the shop's file and its images to the folder "trash", from which it can be restored.
// For a shop in the database an export is put there. Codes: tenant_not_found.
func (t *Tenants) Delete(ctx context.Context, uid string) error {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return err
	}
	err = t.drop(ctx, id)
	if errors.Is(err, db.ErrNoTenant) {
		return notFound()
	}
	if err != nil {
		return fmt.Errorf("delete shop %s: %w", id, err)
	}
	t.shops.remove(id)
	t.sealed.remove(id)
	return t.trashImages(id)
}

// drop removes a shop.
func (t *Tenants) drop(ctx context.Context, id db.ID) error {
	if t.engines != nil { // an interrupted move would leave an unneeded copy
		if _, err := t.engines.finishMove(ctx, id); err != nil {
			return err
		}
	}
	place, err := t.placeOf(ctx, id)
	if err != nil {
		return err
	}
	if place == InFiles {
		return t.store.Drop(ctx, id)
	}
	p, err := t.engines.database(ctx)
	if err != nil {
		return err
	}
	// In one transaction, so that the export has every order.
	return p.DropAfter(ctx, id, func(session db.Session) error { return t.exportToTrash(ctx, id, session) })
}

// Suspend suspends a shop for the operator. Codes: tenant_not_found, validation_failed.
func (t *Tenants) Suspend(ctx context.Context, caller access.Caller, uid string, as shop.Suspension) error {
	return t.change(ctx, uid, func(s *shop.Shop) (*shop.StaffSettings, error) { return s.Suspend(ctx, caller, as) })
}

// Resume opens a shop that the operator has suspended, or that is closed. Codes: tenant_not_found.
func (t *Tenants) Resume(ctx context.Context, caller access.Caller, uid string) error {
	return t.change(ctx, uid, func(s *shop.Shop) (*shop.StaffSettings, error) { return s.Resume(ctx, caller) })
}

// SetMode sets the shop's mode for its providers. Codes: tenant_not_found, validation_failed.
func (t *Tenants) SetMode(ctx context.Context, caller access.Caller, uid string, mode plugin.Mode) error {
	return t.change(ctx, uid, func(s *shop.Shop) (*shop.StaffSettings, error) { return s.SetMode(ctx, caller, mode) })
}

func (t *Tenants) change(ctx context.Context, uid string, do func(s *shop.Shop) (*shop.StaffSettings, error)) error {
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return err
	}
	_, err = do(s)
	return err
}

// Summary is a shop in a list.
type Summary struct {
	UID        string      `json:"uid"`
	Name       string      `json:"name"`
	Currency   string      `json:"currency"`
	Country    string      `json:"country"`
	ActiveMode plugin.Mode `json:"activeMode"`
	Suspended  bool        `json:"suspended"`
	Place      Place       `json:"place"`
	Problem    *string     `json:"problem"` // reason why the shop's file cannot be read; null if there is no problem
}

// List returns all shops, sorted by UID. It opens only the files that were written after the last
// list. A shop with an unreadable file is listed with its problem and does not hide the others.
func (t *Tenants) List(ctx context.Context) ([]Summary, error) {
	ids, err := t.store.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list shops: %w", err)
	}
	indexed, err := t.domains.list(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("list shops: %w", err)
	}
	inFiles, err := t.listFiles(ctx)
	if err != nil {
		return nil, fmt.Errorf("list shops: %w", err)
	}
	list := make([]Summary, 0, len(ids))
	for _, id := range ids {
		entry, ok := indexed[id]
		switch {
		case !ok || entry.Name == "" && entry.unread == nil: // deleted in the meantime
		case entry.unread != nil:
			problem := entry.unread.Error()
			list = append(list, Summary{UID: string(id), Place: inFiles(id), Problem: &problem})
		default:
			list = append(list, Summary{
				UID: string(id), Name: entry.Name, Currency: entry.Currency, Country: entry.Country,
				ActiveMode: entry.Mode, Suspended: entry.Suspended, Place: inFiles(id),
			})
		}
	}
	return list, nil
}

// listFiles returns a function that returns the place of a shop.
func (t *Tenants) listFiles(ctx context.Context) (place func(db.ID) Place, err error) {
	if t.engines == nil {
		return func(db.ID) Place { return InFiles }, nil
	}
	ids, err := t.engines.own.List(ctx)
	return func(id db.ID) Place {
		if _, found := slices.BinarySearch(ids, id); found {
			return InFiles
		}
		return InPostgres
	}, err
}

// requireFile returns an error with a remedy if a shop is not in a file.
func (t *Tenants) requireFile(ctx context.Context, id db.ID, instead string) error {
	place, err := t.placeOf(ctx, id)
	if err == nil && place != InFiles {
		err = fmt.Errorf("the shop %s is in PostgreSQL: %s", id, instead)
	}
	return err
}

// placeOf returns the place of a shop.
func (t *Tenants) placeOf(ctx context.Context, id db.ID) (Place, error) {
	if t.engines == nil {
		return InFiles, nil
	}
	return t.engines.place(ctx, id)
}

// UIDs returns the UIDs of all shops, sorted. It opens no file.
func (t *Tenants) UIDs(ctx context.Context) ([]string, error) { return listUIDs(ctx, t.store) }

// FileUIDs returns the UIDs of all shops in files, sorted.
func (t *Tenants) FileUIDs(ctx context.Context) ([]string, error) {
	return listUIDs(ctx, t.files.Engine())
}

func listUIDs(ctx context.Context, in interface {
	List(ctx context.Context) ([]db.ID, error)
}) ([]string, error) {
	ids, err := in.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list shops: %w", err)
	}
	uids := make([]string, len(ids))
	for i, id := range ids {
		uids[i] = string(id)
	}
	return uids, nil
}
