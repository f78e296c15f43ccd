// Package notify notifies staff members of a shop's events: by push messages to their browsers, by
// the shop's own Telegram bot, by text message and by e-mail. Each member chooses events, channels
// and quiet hours.
//
// Notifications are made from the outbox, of which the package is a consumer, so that each event
// that was committed is sent at least once to each member who has chosen it. No transaction is open
// while one is sent. The protocols are in the [Notifier] of each channel; what events mean is in
// [Texts]: the package knows neither orders nor products.
package notify
