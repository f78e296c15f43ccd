package tenants

import (
	"context"
	"crypto/x509"
	"io/fs"
	"log/slog"
	"time"

	"storefront/media"
	"storefront/replica"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/password"
)

// Config configures a data folder.
type Config struct {
	Dir     string // the data folder, created if missing; required
	Schema  string // text of schema.sql; required
	Steps   fs.FS  // the schema steps, as in the folder steps; nil means this program's
	MaxOpen int    // limit of shops with open files; 0 means [OpenLimit]
	// Engine is the address of a PostgreSQL database for shops; "" means files only.
	Engine            string
	EngineConnections int // limit of connections to it; 0 means 12
	// Key is the key that seals secrets, 32 bytes in base64; "" means the file "key" in Dir.
	Key    string
	Hasher password.HasherConfig // cost of password hashes
	// PublicURL is the server's address for providers and browsers, without a trailing slash.
	PublicURL string
	// DashboardURL is PublicURL with a host name that serves the dashboard. "" means PublicURL.
	DashboardURL string
	// OwnHosts are further host names of the server, which no shop can have.
	OwnHosts []string
	// HasCertificate reports whether the server has had a certificate of a name, which proves that its
	// DNS points here; nil means never.
	HasCertificate func(name string) bool
	// LookupHost returns the addresses of a host. nil means the resolver of the system.
	LookupHost func(ctx context.Context, host string) ([]string, error)
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
	// InventOrders places orders by invented buyers in a new shop with products, and returns their
	// number; nil places none. See [Tenants.MakeSandbox].
	InventOrders func(ctx context.Context, s *shop.Shop, caller access.Caller) (int, error)
	// Observer receives the metrics of the shops. It may be nil.
	Observer shop.Observer
	// OnCommit is called after each commit; see [sqlite.Options].
	OnCommit func(updates int, took time.Duration, failed bool)
}

// defaultProductCache is in bytes.
const defaultProductCache = 32 << 20
