package tenants

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"storefront/db"
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
	"storefront/shop/conversion"
	"storefront/shop/dispatch"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/password"
	"storefront/shop/plugin"
	"storefront/tenants/album"
)

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
	proofs    *proofs         // of domains
	plugins   []plugin.Plugin // of all shops
	client    *provider.Client
	// inbox receives all text messages and e-mails; nil means each shop's gateway and mail server.
	inbox        *inbox.Inbox
	mail         mail.Options
	shops        *shopCache
	committed    *commits // for the jobs of the shops
	announced    *commits // for the announcing jobs
	products     *catalogue.ProductCache
	jobs         *job.Runner
	webhooks     *dispatch.Runner
	sender       *webhook.Sender
	notify       *dispatch.Runner
	push         *push.Sender
	telegram     *telegram.Bot
	conversions  *dispatch.Runner
	advertisers  map[conversion.Receiver]conversion.Sender
	insecure     bool // accept webhook endpoints without TLS
	domains      *shopIndex
	domainPause  time.Duration
	media        media.Store
	mediaAddress string // Config.MediaAddress
	images       *media.Processor
	fetcher      *album.Fetcher
	quota        int64               // of a shop's images
	unused       time.Duration       // retention of the files of unused images; see [shop.Config]
	replica      *replica.Replicator // may be nil
	ready        readiness
	sealed       sealedShops
	setup        setupLink
	overview     overview
	requests     requestCounts
	demoShop     db.ID
	demoLink     string // "" if there is none
	backups      atomic.Pointer[BackupStatus]
	// workedAt is the last round of the background work without an error; nil if it does not run.
	workedAt     atomic.Pointer[time.Time]
	observer     shop.Observer // may be nil
	inventOrders func(ctx context.Context, s *shop.Shop, caller access.Caller) (int, error)
}

// Close waits for running work until ctx ends, closes the files, and sends the remaining changes to
// the replica. Files that are in use at a deadline stay open until the process ends.
func (t *Tenants) Close(ctx context.Context) error {
	t.domains.close(ctx)
	if err := t.SaveRequests(ctx); err != nil {
		t.log.Warn("counts of requests not saved", "error", err)
	}
	t.jobs.Close(ctx)
	t.webhooks.Close(ctx)
	t.notify.Close(ctx)
	t.conversions.Close(ctx)
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

// Shop returns the shop with the given UID if it is open to buyers. Codes: tenant_not_found (also
// for a malformed UID), tenant_suspended.
func (t *Tenants) Shop(ctx context.Context, uid string) (*shop.Shop, error) {
	if uid == Installation {
		return nil, notFound()
	}
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
	if uid == Installation {
		return nil, notFound()
	}
	s, _, err := t.find(ctx, uid)
	return s, err
}

// find returns a shop, or the [Installation], with its settings. Codes: tenant_not_found.
func (t *Tenants) find(ctx context.Context, uid string) (*shop.Shop, *shop.Settings, error) {
	s := t.shops.find(uid)
	if s == nil {
		id, err := t.requireStored(ctx, uid)
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
	if uid == Installation {
		return "", notFound()
	}
	return t.requireStored(ctx, uid)
}

// requireStored is requireExisting, also for [Installation].
func (t *Tenants) requireStored(ctx context.Context, uid string) (db.ID, error) {
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

// Suspend suspends a shop for the operator. Codes: tenant_not_found, validation_failed.
func (t *Tenants) Suspend(
	ctx context.Context, caller access.Caller, uid string, as shop.Suspension,
) error {
	return t.change(
		ctx, uid, func(s *shop.Shop) (*shop.StaffSettings, error) { return s.Suspend(ctx, caller, as) },
	)
}

// Resume opens a shop that the operator has suspended, or that is closed. Codes: tenant_not_found.
func (t *Tenants) Resume(ctx context.Context, caller access.Caller, uid string) error {
	return t.change(
		ctx, uid, func(s *shop.Shop) (*shop.StaffSettings, error) { return s.Resume(ctx, caller) },
	)
}

// SetMode sets the shop's mode for its providers. Codes: tenant_not_found, validation_failed.
func (t *Tenants) SetMode(
	ctx context.Context, caller access.Caller, uid string, mode plugin.Mode,
) error {
	return t.change(
		ctx, uid, func(s *shop.Shop) (*shop.StaffSettings, error) { return s.SetMode(ctx, caller, mode) },
	)
}

func (t *Tenants) change(
	ctx context.Context, uid string, do func(s *shop.Shop) (*shop.StaffSettings, error),
) error {
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		return err
	}
	_, err = do(s)
	return err
}
