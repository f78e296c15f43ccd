package tenants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
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
	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/conversion"
	"storefront/shop/endpoint"
	"storefront/shop/job"
	"storefront/shop/notify"
	"storefront/shop/password"
	"storefront/tenants/album"
)

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
		Command: cfg.Command, Schema: schema.text, Steps: schema.steps, MaxOpen: cfg.MaxOpen,
		Content: shop.Content(), Now: cfg.Now,
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
		dir: cfg.Dir, schema: schema, keyText: cfg.Key, files: files, replica: replicator,
		log: cfg.Logger, observer: cfg.Observer, inventOrders: cfg.InventOrders,
		committed: newCommits(), announced: newCommits(),
		now: cfg.Now, demoShop: db.ID(cfg.DemoShop), demoLink: cfg.DemoLink, publicURL: cfg.PublicURL,
		plugins:   cfg.Providers.plugins(cfg.Now),
		dashboard: cmp.Or(cfg.DashboardURL, cfg.PublicURL),
	}
	t.proofs = newProofs(&cfg)
	if cfg.Replica != nil {
		t.unused = cfg.Replica.Reach()
	}
	t.images, t.fetcher, t.quota = media.NewProcessor(), album.NewFetcher(
		cfg.PrivateProviders,
	), cfg.MediaQuota
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
			dir: cfg.Dir, files: files, own: engine, open: openDatabase(cfg, t), log: cfg.Logger,
			exportCopy:  t.exportCopy,
			connections: cmp.Or(cfg.EngineConnections, postgres.DefaultConnections),
		}
		engine = t.engines
	}
	t.store = db.New(engine, db.Options{
		Content: options.Content, Derived: options.Derived, Now: cfg.Now, OnCommit: cfg.OnCommit,
		Committed: t.onCommit, Logger: cfg.Logger,
	})
	t.client = provider.NewClient(provider.ClientConfig{AllowPrivate: cfg.PrivateProviders})
	t.mail = mail.Options{AllowPrivate: cfg.PrivateProviders, RootCAs: cfg.MailRootCAs}
	if cfg.LogMessages {
		t.inbox = inbox.New(cfg.Logger, cfg.Now)
	}
	t.jobs, t.webhooks = job.NewRunner(), endpoint.NewRunner()
	t.sender = webhook.New(
		provider.ClientConfig{AllowPrivate: cfg.PrivateProviders, Timeout: cfg.WebhookTimeout},
	)
	t.insecure = cfg.PrivateProviders
	t.notify, t.push = notify.NewRunner(), push.New(
		provider.ClientConfig{AllowPrivate: cfg.PrivateProviders}, pushContact(cfg.PublicURL), cfg.Now,
	)
	t.conversions, t.advertisers = conversion.NewRunner(), cfg.Providers.advertisers()
	t.telegram = telegram.New(
		provider.ClientConfig{AllowPrivate: cfg.PrivateProviders}, cfg.Providers.Telegram,
	)
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
			t.log.Error(
				"database not available, serving the shops in files; trying again every second", "error", err,
			)
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

// pushContact returns the contact address of the operator for push services: the server's address,
// if browsers use it too.
func pushContact(publicURL string) string {
	if strings.HasPrefix(publicURL, "https://") {
		return publicURL
	}
	return "mailto:postmaster@localhost"
}

func (t *Tenants) config(id db.ID) shop.Config {
	demoLink := ""
	if id == t.demoShop {
		demoLink = t.demoLink
	}
	var actions map[job.Kind]job.Action
	if id == Installation {
		actions = t.shopJobs()
	}
	return shop.Config{
		DemoLink: demoLink,
		IsMoving: func() bool { return t.engines != nil && t.engines.isMoving(id) },
		IsWorking: func(ctx context.Context) bool {
			works, err := t.worksOn(ctx, id)
			return err == nil && works
		},
		Installation: t.installationIfAny,
		Operators:    id == Installation, IsOperatorSignedIn: t.isOperatorSignedIn, JobActions: actions,
		Store: t.store, ID: id, Sealer: observedSealer{sealer{t.key, id}, t}, Hasher: t.hasher,
		Now: t.now, PublicURL: t.publicURL,
		DashboardURL: t.dashboard,
		Plugins:      t.plugins, NewSMS: t.newSMS, NewMail: t.newMail, Observer: t.observer,
		OrderPlaced: func(plan string) { loadOrNew[atomic.Uint64](&t.requests.orders, plan).Add(1) },
		Products:    t.products,
		Webhooks:    t.webhooks, WebhookSender: t.sender, InsecureWebhooks: t.insecure,
		Notifications: t.notify, Push: t.push, Telegram: t.telegram,
		Conversions: t.conversions, Advertisers: t.advertisers,
		Jobs: t.jobs, Media: album.NewUploads(t.images, t.fetcher, t.media, string(id)),
		MediaQuota: t.quota, MediaRetention: t.unused,
		Logger: t.log.With("tenant", string(id)),
	}
}
