// Package inbox stores the text messages and e-mails of shops in development, instead of sending
// them, and shows them on a page. The messages contain sign-in codes, so it must not be used in
// production.
package inbox

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"storefront/shop/sender"
)

// Limits of the messages that an Inbox stores.
const (
	maxMessages  = 50
	maxTextRunes = 1600
)

// Message is a text message or an e-mail that an [Inbox] received.
type Message struct {
	ID       string
	At       time.Time
	To       string // a phone number in E.164, or an e-mail address
	Subject  string // of an e-mail
	Text     string
	Segments int // of a text message, as a gateway would bill; 0 for an e-mail
}

// Inbox replaces SMS gateways and mail servers in development. It stores the last 50 messages in
// memory for its page (see [Inbox.Page]). It is safe for concurrent use.
type Inbox struct {
	logger *slog.Logger
	now    func() time.Time

	mu       sync.Mutex
	sent     int
	messages []Message // oldest first
}

// New returns an Inbox that also logs each message, unless logger is nil.
func New(logger *slog.Logger, now func() time.Time) *Inbox { return &Inbox{logger: logger, now: now} }

// SMS returns a gateway that stores the text messages in the inbox. It never fails.
func (b *Inbox) SMS() sender.SMS { return smsInbox{b} }

// Mail returns a sender that stores the e-mails in the inbox. It never fails.
func (b *Inbox) Mail() sender.Mailer { return mailInbox{b} }

type smsInbox struct{ *Inbox }

// Reaches implements [sender.SMS]: it accepts every phone, because nothing is sent.
func (smsInbox) Reaches(string) bool { return true }

// Send implements [sender.SMS].
func (b smsInbox) Send(ctx context.Context, to, text string) (messageID string, err error) {
	m := b.record(Message{To: to, Text: text, Segments: sender.Segments(text)})
	if b.logger != nil {
		b.logger.InfoContext(ctx, "SMS not sent in development", "to", to, "text", m.Text, "segments", m.Segments)
	}
	return m.ID, nil
}

type mailInbox struct{ *Inbox }

// Send implements [sender.Mailer].
func (b mailInbox) Send(ctx context.Context, mail sender.Email) (messageID string, err error) {
	m := b.record(Message{To: mail.To, Subject: mail.Subject, Text: mail.Text})
	if b.logger != nil {
		b.logger.InfoContext(ctx, "e-mail not sent in development", "to", mail.To, "subject", m.Subject, "text", m.Text)
	}
	return m.ID, nil
}

func (b *Inbox) record(m Message) Message {
	m.At = b.now()
	if runes := []rune(m.Text); len(runes) > maxTextRunes {
		m.Text = string(runes[:maxTextRunes]) + "…"
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent++
	m.ID = fmt.Sprintf("log-%d", b.sent)
	if len(b.messages) == maxMessages {
		b.messages = slices.Delete(b.messages, 0, 1)
	}
	b.messages = append(b.messages, m)
	return m
}

// Messages returns the last 50 messages, newest first.
func (b *Inbox) Messages() []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	messages := slices.Clone(b.messages)
	slices.Reverse(messages)
	return messages
}
