package shop

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"sync/atomic"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/campaign"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/content"
	"storefront/shop/conversion"
	"storefront/shop/design"
	"storefront/shop/dispatch"
	"storefront/shop/endpoint"
	"storefront/shop/inbox"
	"storefront/shop/incident"
	"storefront/shop/job"
	"storefront/shop/live"
	"storefront/shop/message"
	"storefront/shop/money"
	"storefront/shop/notify"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/password"
	"storefront/shop/plan"
	"storefront/shop/plugin"
	"storefront/shop/review"
	"storefront/shop/sales"
	"storefront/shop/secret"
	"storefront/shop/sender"
	"storefront/shop/sequence"
	"storefront/shop/staff"
)

// Config holds the dependencies of a [Shop].
type Config struct {
	Store  *db.Store        // must be set
	ID     db.ID            // the tenant's UID; must be set
	Sealer secret.Sealer    // must be set
	Hasher *password.Hasher // shared by all shops of the process, so that hashing stays bounded; must be set
	NewSMS sender.NewSMS    // nil means that no text messages are sent
	// NewMail creates the sender of e-mails. nil means that none are sent.
	NewMail sender.NewMail
	// Observer receives the shop's events; may be nil.
	Observer Observer
	// OrderPlaced is called after the commit of each order, except test orders, with the name of the
	// shop's plan; "" means none. It must not block, and may be nil.
	OrderPlaced func(plan string)
	Logger      *slog.Logger     // nil means that nothing is logged
	Now         func() time.Time // nil means time.Now
	Rand        io.Reader        // nil means crypto/rand
	// Plugins are the providers for which the shop can be configured; may be nil.
	Plugins []plugin.Plugin
	// IsMoving reports whether a move of the shop to another place has begun and not ended; nil
	// means never.
	IsMoving func() bool
	// IsWorking reports whether this process, among all servers, does the shop's background work. nil
	// means always.
	IsWorking func(context.Context) bool
	// PublicURL is the server's address as providers know it, without a slash at its end.
	PublicURL string
	// DashboardURL is the server's address for the dashboard, without a slash at its end.
	DashboardURL string
	// DemoLink is a token that signs in as the shop's first owner, for development; "" means none.
	DemoLink string
	// IsOperatorSignedIn is as in [staff.Config].
	IsOperatorSignedIn func(ctx context.Context, sessionID string) (bool, error)
	// Operators means that the data is the installation's, and not a shop's; see [staff.Config].
	Operators bool
	// Installation returns the data of the installation, nil if there is none. The shop inherits
	// defaults from it. nil means that there is never one.
	Installation func(ctx context.Context) (*Shop, error)
	// JobActions are the actions of the installation's jobs; nil in a shop.
	JobActions map[job.Kind]job.Action
	Products   *catalogue.ProductCache // shared by all shops of the process; nil means no cache
	// Media creates and stores the files of uploaded images; nil means that none can be uploaded.
	Media catalogue.MediaFiles
	// MediaQuota limits the bytes of the shop's uploaded images; 0 means 5 GiB.
	MediaQuota int64
	// MediaRetention is as in [catalogue.Config].
	MediaRetention time.Duration
	// Jobs runs the jobs of all shops of the process, until the owner closes it; nil means a separate
	// one for the shop.
	Jobs *job.Runner
	// Webhooks sends the webhooks of all shops of the process, until the owner closes it; nil means a
	// separate one for the shop.
	Webhooks *dispatch.Runner
	// WebhookSender sends webhooks to endpoints; nil means that none can be sent.
	WebhookSender endpoint.Sender
	// InsecureWebhooks accepts webhook endpoints and push services without TLS.
	InsecureWebhooks bool
	// Notifications sends the notifications to staff members of all shops of the process, until the
	// owner closes it; nil means a separate one for the shop.
	Notifications *dispatch.Runner
	// Advertisers send events of orders to receivers; one that is missing receives nothing.
	Advertisers map[conversion.Receiver]conversion.Sender
	// Conversions sends the events of all shops of the process, until the owner closes it; nil means
	// a separate one for the shop.
	Conversions *dispatch.Runner
	// Push sends push messages to browsers; nil means that none can be sent.
	Push Notifier
	// Telegram sends messages by the bots of shops; nil means that none can be sent.
	Telegram TelegramBot
}

// Shop is one tenant's shop. It is safe for concurrent use. Create one with [New].
type Shop struct {
	Orders    *order.Orders        // orders, coupons, payments, refunds and shipments
	Catalogue *catalogue.Catalogue // products, collections and stock
	Accounts  *account.Accounts    // customers' accounts
	Sender    *sender.Sender       // text messages and e-mails
	Staff     *staff.Staff         // staff members, API keys and the audit log
	Plans     *plan.Plans          // of the server; in the data of the installation alone
	Incidents *incident.Incidents  // of the server, likewise
	Jobs      *job.Jobs            // actions on many orders or products
	Endpoints *endpoint.Endpoints  // URLs of other systems that receive the shop's events
	Notify    *notify.Notify       // notifications to staff members
	Content   *content.Content     // of the site, beside the products
	Designs   *design.Designs      // of the site
	Reviews   *review.Reviews      // of products, by the buyers of delivered orders
	Messages  *message.Messages    // messages to buyers about their orders
	Live      *live.Hub            // streams of the shop's events
	Inbox     *inbox.Inbox         // webhooks of providers
	Cash      *cash.Ledger         // cash on delivery
	Sales     *sales.Reports       // what was sold
	Campaigns *campaign.Campaigns  // visits, and the costs of advertising

	Conversions *conversion.Conversions // events of orders to advertisers

	cfg     Config
	data    access.Data
	secrets *secret.Store
	now     func() time.Time
	rand    io.Reader
	ids     *sequence.Source
	plugins []plugin.Plugin
	// observer is never nil.
	observer Observer
	log      *slog.Logger // never nil
	isMoving func() bool  // never nil
	// isWorking is [Config.IsWorking], never nil.
	isWorking func(context.Context) bool
	// adjust changes the settings that are in use; nil leaves them as they are stored.
	adjust func(*Settings)
	// publicURL is the server's address as providers know it.
	publicURL string

	settings    atomic.Pointer[cachedSettings]
	pluginCache atomic.Pointer[cachedPlugins]
	publication atomic.Pointer[publicationTime]

	pagePublication atomic.Pointer[publicationTime]
	pageSales       atomic.Pointer[salesTime]
	listedImages    listedImages
	// revision counts the changes of settings by this process; see settingsKey.
	revision atomic.Uint64
}

// New returns the shop that the store holds under cfg.ID. It reads nothing yet.
func New(cfg Config) *Shop {
	s := &Shop{
		cfg: cfg, now: cfg.Now, rand: cfg.Rand, plugins: cfg.Plugins,
		isMoving: cfg.IsMoving, isWorking: cfg.IsWorking, publicURL: cfg.PublicURL, observer: cfg.Observer, log: cfg.Logger,
	}
	s.data = access.Data{
		Store: cfg.Store, ID: cfg.ID,
		Authorize: func(ctx context.Context, caller access.Caller, use access.UseCase) (access.Staff, error) {
			return s.Staff.Authorize(ctx, caller, use)
		},
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.isMoving == nil {
		s.isMoving = func() bool { return false }
	}
	if s.isWorking == nil {
		s.isWorking = func(context.Context) bool { return true }
	}
	if s.observer == nil {
		s.observer = unobserved{}
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.rand == nil {
		s.rand = rand.Reader
	}
	s.ids = sequence.NewSource(s.rand)
	s.secrets = secret.NewStore(secret.Config{Store: s.data.Store, ID: s.data.ID, Sealer: cfg.Sealer, Rand: s.rand, IDs: s.ids})
	s.Sender = sender.New(sender.Config{
		Data: s.data, Secrets: s.secrets, NewSMS: cfg.NewSMS, NewMail: cfg.NewMail, Settings: s.senderSettings, Observer: s.observer,
		Record: s.recordMessage, Replaced: deleteConnection, Inherited: s.inheritedSender, OfInstallation: cfg.Operators,
	})
	s.Staff = staff.New(staff.Config{
		Store: s.data.Store, ID: s.data.ID, Now: s.now, Rand: s.rand, IDs: s.ids, Hasher: cfg.Hasher, Secrets: s.secrets, Settings: s.staffSettings,
		SendText: s.Sender.SendText, IsCustomer: s.isCustomer, DemoLink: cfg.DemoLink, Operators: cfg.Operators, IsOperatorSignedIn: cfg.IsOperatorSignedIn,
	})
	s.Plans, s.Incidents = plan.New(s.data), incident.New(s.data, s.ids)
	s.Live = live.New(s.data, s.log)
	s.Inbox = inbox.New(inbox.Config{Data: s.data, Now: s.now, IDs: s.ids, Observer: s.observer})
	s.Sales = sales.New(sales.Config{Data: s.data, Now: s.now, Settings: s.reportsSettings, ZoneIn: findZone})
	s.Campaigns = campaign.New(campaign.Config{Data: s.data, CurrencyIn: currencyIn})
	s.Cash = cash.New(cash.Config{
		Data: s.data, Now: s.now, IDs: s.ids, Settings: s.ledgerSettings, CurrencyIn: currencyIn, Rates: s.cashRates,
		FeesChanged: sales.InvalidateShipments,
		Search: func(ctx context.Context, text string) (cash.OrderFinder, *page.Indexing, error) {
			return s.Orders.FindOrdersFor(ctx, text)
		},
		Follow: func(tx *db.Tx, courier plugin.Provider, orderIDs []string) error {
			return s.Orders.FollowStatement(tx, courier, orderIDs)
		},
	})
	s.Catalogue = catalogue.New(catalogue.Config{
		Data: s.data, Now: s.now, IDs: s.ids, Currency: s.currency, TimeZone: s.TimeZone, SecondLanguage: s.findSecondLanguage,
		Synonyms: s.synonyms, MediaAddress: s.mediaAddress, Media: cfg.Media, MediaQuota: cfg.MediaQuota, MediaRetention: cfg.MediaRetention,
		OrderedImages: order.FindOrderedImages, OrdersShowing: order.CountShowing, Products: cfg.Products,
		PostOrders: func(ctx context.Context) error { return s.Orders.PostOrders(ctx) },
	})
	s.Accounts = account.New(account.Config{
		Data: s.data, Now: s.now, Rand: s.rand, IDs: s.ids, Hasher: cfg.Hasher, Secrets: s.secrets,
		Sender: s.Sender, Log: s.log, Settings: s.accountSettings,
		PhoneVerified: func(tx *db.Tx, customerID, phone string) error {
			return s.Orders.AttachGuestOrders(tx, customerID, phone)
		},
		EmailVerified: func(tx *db.Tx, customerID, email string) error {
			return s.Orders.AttachGuestOrdersByEmail(tx, customerID, email)
		},
		ReleaseOrders: func(tx *db.Tx, customerID, email string) error { return s.Orders.ReleaseOrders(tx, customerID, email) },
		MoveOrders:    func(tx *db.Tx, from, to string) error { return s.Orders.MoveOrders(tx, from, to) },
		HasOrders:     order.HasOrders,
	})
	s.Content = content.New(s.data, s.domains)
	s.Designs = design.New(design.Config{
		Data: s.data, Secrets: s.secrets, UseMedia: catalogue.UseMedia, FindProducts: catalogue.FindProductsNamed, FindTargets: findTargets,
		Default: designDefault,
	})
	s.Reviews = review.New(review.Config{
		Data: s.data, IDs: s.ids, Catalogue: s.Catalogue,
		Order: func(ctx context.Context, caller access.Caller, invoiceUID string) (review.FindOrder, error) {
			return s.Orders.ReviewedOrder(ctx, caller, invoiceUID)
		},
	})
	s.Messages = message.New(message.Config{
		Data: s.data, Now: s.now, Sender: s.Sender, Shop: s.messageShop,
		Orders: func(ctx context.Context) (message.FindOrder, error) { return s.Orders.MessageOrders(ctx) },
	})
	s.Orders = order.New(order.Config{
		Data: s.data, Now: s.now, IDs: s.ids, Log: s.log, Secrets: s.secrets, Catalogue: s.Catalogue, Accounts: s.Accounts, Inbox: s.Inbox,
		Placed:   s.countPlaced(cfg.OrderPlaced),
		Observer: s.observer, Plugins: s.plugins, PublicURL: s.publicURL, Settings: s.orderSettings, Checkout: s.checkoutSettings,
		Plugin: s.pluginFor, MissingSettings: s.missingSettings, SaveCashRate: s.saveCashRate, Cash: s.Cash, CurrencyIn: currencyIn, ZoneIn: findZone,
		Followers: order.Followers(),
		CreateJob: func(ctx context.Context, caller access.Caller, req job.Request) (*job.Job, error) {
			return s.Jobs.Create(ctx, caller, req)
		},
	})
	runner := cfg.Jobs
	if runner == nil {
		runner = job.NewRunner()
	}
	actions := cfg.JobActions
	if actions == nil {
		actions = s.jobActions()
	}
	s.Jobs = job.New(job.Config{
		Data: s.data, Now: s.now, IDs: s.ids, Log: s.log, Runner: runner, Actions: actions,
	})
	s.Endpoints, s.Notify, s.Conversions = newEndpoints(s, cfg), newNotify(s, cfg), newConversions(s, cfg)
	// an earlier Shop of the same file must not have the same content versions
	s.revision.Store(mathrand.Uint64())
	return s
}

func (s *Shop) synonyms(ctx context.Context) (*catalogue.Synonyms, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return set.synonyms, nil
}

func (s *Shop) currency(ctx context.Context) (money.Currency, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return money.Currency{}, err
	}
	return set.money, nil
}

func (s *Shop) domains(ctx context.Context) ([]string, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return set.Domains, nil
}

// mediaAddress returns the URL below which the files of uploaded images are served.
func (s *Shop) mediaAddress(ctx context.Context) (catalogue.MediaAddress, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return "", err
	}
	return set.orders.Media, nil
}

func (s *Shop) mediaAddressOf(set *Settings) catalogue.MediaAddress {
	return catalogue.MediaAddress(cmp.Or(set.MediaURL, s.publicURL) + "/media/" + s.UID())
}

// UID returns the tenant's UID.
func (s *Shop) UID() string { return string(s.data.ID) }

// Version returns a number that changes with every commit to the shop's file, by this process or
// another. Data read after the call is at least as new.
func (s *Shop) Version(ctx context.Context) (uint64, error) {
	return s.data.Store.Version(ctx, s.data.ID)
}

// isCustomer reports whether the caller has sent a valid access token of a customer.
func (s *Shop) isCustomer(ctx context.Context, caller access.Caller) (is bool, err error) {
	who, err := s.Accounts.IdentityOrGuest(ctx, caller)
	if err != nil {
		return false, err
	}
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		customer, err := who.Customer(tx)
		is = !customer.IsGuest()
		return err
	})
	return is, err
}
