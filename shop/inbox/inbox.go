// Package inbox stores the webhooks of a shop's providers: each once, with its verdict, masked for
// staff, and replayable. The processing of a webhook is passed as a function; the package depends
// on neither orders nor a provider's protocol.
package inbox

import (
	"time"

	"storefront/shop/access"
	"storefront/shop/plugin"
	"storefront/shop/sequence"
)

// Config configures an [Inbox]. Every field is required.
type Config struct {
	Data     access.Data
	Now      func() time.Time
	IDs      *sequence.Source
	Observer Observer
}

// Observer receives the verdicts of incoming webhooks after they are committed.
type Observer interface {
	// WebhookHandled is called with the verdict of an incoming webhook. It is called again if the
	// verdict changes later, by a replay or because its order was placed, but not for a duplicate.
	WebhookHandled(from plugin.Provider, verdict Verdict)
}

// Inbox stores the webhooks of a shop's providers. It is safe for concurrent use.
type Inbox struct {
	data     access.Data
	now      func() time.Time
	ids      *sequence.Source
	observer Observer
	refused  refusals
}

// New returns the inbox of the shop in cfg.Data. It does not access the store.
func New(cfg Config) *Inbox {
	return &Inbox{data: cfg.Data, now: cfg.Now, ids: cfg.IDs, observer: cfg.Observer}
}
