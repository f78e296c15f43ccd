package shoptest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"storefront/shop/sender"
)

// patience limits how long a test waits for an e-mail, which may be sent after the response.
const patience = 20 * time.Second

// Mail is a mail server that stores the e-mails. It is safe for concurrent use. Create one with
// [NewMail].
type Mail struct {
	mu      sync.Mutex
	arrived chan struct{} // closed when an e-mail arrives
	sent    int
	unread  []sender.Email // that Next has not returned
	answer  func(to string) error
}

// NewMail returns a mail server that accepts all e-mails.
func NewMail() *Mail { return &Mail{arrived: make(chan struct{})} }

// New implements [sender.NewMail]: it needs no configuration.
func (m *Mail) New([]byte, string) (sender.Mailer, error) { return m, nil }

// Answer sets the function that decides the response to each e-mail; nil accepts all. E-mails that
// fn refuses are not stored.
func (m *Mail) Answer(fn func(to string) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer = fn
}

// Send implements [sender.Mailer].
func (m *Mail) Send(_ context.Context, mail sender.Email) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answer != nil {
		if err := m.answer(mail.To); err != nil {
			return "", err
		}
	}
	m.sent++
	m.unread = append(m.unread, mail)
	close(m.arrived)
	m.arrived = make(chan struct{})
	return fmt.Sprintf("mail-%d", m.sent), nil
}

// Next waits for the next e-mail to an address and returns it, each one once.
func (m *Mail) Next(tb testing.TB, to string) sender.Email {
	tb.Helper()
	timeout := time.After(patience)
	for {
		m.mu.Lock()
		arrived := m.arrived
		i := slices.IndexFunc(m.unread, func(mail sender.Email) bool { return mail.To == to })
		if i >= 0 {
			mail := m.unread[i]
			m.unread = slices.Delete(m.unread, i, i+1)
			m.mu.Unlock()
			return mail
		}
		m.mu.Unlock()
		select {
		case <-arrived:
		case <-timeout:
			tb.Fatalf("no e-mail to %s arrived", to)
		}
	}
}

var emailCodePattern = regexp.MustCompile(`\b[0-9]{6}\b`)

// Code waits for the next e-mail to an address and returns the code in it.
func (m *Mail) Code(tb testing.TB, to string) string {
	tb.Helper()
	mail := m.Next(tb, to)
	code := emailCodePattern.FindString(mail.Text)
	if code == "" {
		tb.Fatalf("no code in the e-mail %q", mail.Text)
	}
	return code
}

// Unread returns the e-mails that Next has not returned.
func (m *Mail) Unread() []sender.Email {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.unread)
}
