package notify

import (
	"context"
	"log/slog"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/dispatch"
	"storefront/shop/outbox"
	"storefront/shop/secret"
	"storefront/shop/sequence"
)

// Channel is a way to reach a staff member.
//
//api:enum NotificationChannel
type Channel string

// The channels.
const (
	Push     Channel = "push"     // a push message to a browser
	Telegram Channel = "telegram" // a message by the shop's Telegram bot
	SMS      Channel = "sms"      // a text message by the shop's gateway
	Email    Channel = "email"    // an e-mail by the shop's mail server
)

// allChannels returns every channel.
func allChannels() []Channel { return []Channel{Push, Telegram, SMS, Email} }

// Channels are the channels of one type of event.
type Channels struct {
	Push     bool `json:"push"`
	Telegram bool `json:"telegram"`
	SMS      bool `json:"sms"`
	// Email was added later: clients may omit it.
	Email bool `json:"email" required:"false" doc:"false if left out"`
}

func (c Channels) has(channel Channel) bool {
	switch channel {
	case Push:
		return c.Push
	case Telegram:
		return c.Telegram
	case SMS:
		return c.SMS
	case Email:
		return c.Email
	}
	return false
}

// Choices are the channels that a staff member has chosen, by type of event. A type without an
// entry has its default channels.
type Choices map[outbox.Type]Channels

// Member is a staff member who can sign in.
type Member struct {
	ID, Name string
	Language string // "en" or "bn"
	Phone    string // E.164; "" means none
	Email    string // "" means none
	Choices  Choices
	Permits  func(p access.Permission) bool
}

// Members are the staff members of a shop.
type Members interface {
	// Active returns the members who can sign in.
	Active(tx *db.Tx) ([]Member, error)
	// Find returns an active one by ID, e-mail address or phone number; a country is assumed for the
	// number. Codes: not_found.
	Find(tx *db.Tx, user, country string) (*Member, error)
	// SessionOf returns the ID of a caller's session.
	SessionOf(tx *db.Tx, caller access.Caller) (id string, err error)
	// SaveChoices saves a member's choices.
	SaveChoices(tx *db.Tx, id string, choices Choices) error
}

// Text is the text of a notification. It has no name and no phone number: a lock screen is public.
type Text struct {
	Title string
	Body  string
	Path  string // of the dashboard, below the shop: "order/7ZK3QW8N5T2M4R6V"

	Picture *Picture // of the affected product; nil if there is none
}

// Picture is an uploaded image at an absolute address, which anybody can request.
type Picture struct {
	URL           string
	Width, Height int // in pixels
}

// Texts provides the texts of notifications.
type Texts interface {
	// Event returns the text of an event in a language, as far as a member may see it; nil if there
	// is nothing left to report.
	Event(tx *db.Tx, event outbox.Event, language string, permits func(access.Permission) bool) (*Text, error)
	// Digest returns the text of many events, by type.
	Digest(counts map[outbox.Type]int, language string) *Text
	// Summary returns the text of a day, such as 2026-03-01, until now, as far as a member may see it.
	Summary(tx *db.Tx, day, language string, permits func(access.Permission) bool) (*Text, error)
	// Weekly returns the text about the shop's avoidable losses, as far as a member may see them; nil
	// if there are none.
	Weekly(ctx context.Context, tx *db.Tx, language string, permits func(access.Permission) bool) (*Text, error)
	// Test returns the text of a test.
	Test(language string) *Text
}

// Target is the recipient of a notification.
type Target struct {
	Address         string // push: URL of a push service; telegram: chat; sms: number; email: address
	PublicKey, Auth []byte // of a browser
	Credential      []byte // push: the shop's private key; telegram: the bot's token
}

// Message is one attempt to send a notification.
type Message struct {
	ID          string // the same in every attempt
	To          Target
	Shop        string // its name
	Title, Body string
	Picture     *Picture      // nil if there is none
	URL         string        // "" if there is none
	Language    string        // of the text
	Lifetime    time.Duration // how long it is useful
}

// Notifier sends notifications by one channel. Errors with details are of type [*Error]. Errors
// contain no secret.
type Notifier interface {
	Notify(ctx context.Context, m Message) error
}

// Error is the reason why a notification was not sent.
type Error struct {
	Gone       bool          // the target does not exist any more
	Refused    bool          // a further attempt would have the same result
	Unknown    bool          // it may have been sent
	RetryAfter time.Duration // delay before the next attempt; 0 means the usual one
	Err        error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Bot is the receiving side of the shop's bot.
type Bot interface {
	// Name returns the user name of the bot with a token.
	Name(ctx context.Context, token string) (string, error)
	// Received returns the last private messages of people to the bot.
	Received(ctx context.Context, token string) ([]BotMessage, error)
}

// BotMessage is a message from a person to the bot.
type BotMessage struct {
	Chat string // recipient of an answer
	Name string // of the sender
	Text string
}

// Config is the configuration of [Notify]. Every field is required unless its comment says
// otherwise.
type Config struct {
	Data    access.Data // of the shop
	Now     func() time.Time
	IDs     *sequence.Source
	Log     *slog.Logger
	Secrets *secret.Store
	Runner  *dispatch.Runner // shared by all shops of the process: see [NewRunner]
	// IsWorking reports whether this process does the shop's work, among all servers.
	IsWorking func(context.Context) bool
	Notifiers map[Channel]Notifier
	Bot       Bot // nil without Telegram
	Members   Members
	Settings  func(ctx context.Context) (*Settings, error)
	HasSMS    func(tx *db.Tx) (bool, error) // whether the shop has a gateway
	HasMail   func(ctx context.Context) (bool, error)
	// DashboardURL is the address that the paths of the dashboard are appended to; "" means unknown.
	DashboardURL string
	// Visible returns the permission to see the events of a type.
	Visible func(kind outbox.Type) access.Permission
	// AllowHTTP accepts push services without TLS, for development and tests.
	AllowHTTP bool
}

// Settings are the current settings that notifications depend on.
type Settings struct {
	Texts    Texts
	Zone     *time.Location
	Country  string // ISO 3166, two letters: for parsing phone numbers
	ShopName string
}

// Notify notifies the staff members of one shop. It is safe for concurrent use. Create one with
// [New].
type Notify struct{ cfg Config }

// New returns the notifications of the shop in cfg.Data. It reads nothing.
func New(cfg Config) *Notify { return &Notify{cfg} }

// url returns the address of a view of the dashboard, relative to the server for a browser.
func (n *Notify) url(channel Channel, path string) string {
	address := "/admin/#/" + string(n.cfg.Data.ID) + "/" + path
	switch channel {
	case Push:
		return address
	case Telegram, Email:
		if n.cfg.DashboardURL != "" {
			return n.cfg.DashboardURL + address
		}
	}
	return "" // a text message is billed by its length
}
