// Package notify notifies staff members of a shop's events: by push messages to their browsers, by
// the shop's own Telegram bot, by text message and by e-mail. Each member chooses events, channels
// and quiet hours.
//
// The package is a consumer of the outbox, so that each committed event is sent at least once to
// each member who has chosen it. No transaction is open while one is sent. The [Notifier] of each
// channel implements its protocol, and [Texts] provides the texts: the package depends on neither
// orders nor products.
package notify
