package sms

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"storefront/shop/account"
)

// Limits of the messages that a LogSender stores.
const (
	maxMessages  = 50
	maxTextRunes = 1600
)

// Message is a text message that a [LogSender] received.
type Message struct {
	ID       string
	At       time.Time
	To       string // E.164
	Text     string
	Segments int // as a gateway would bill
}

// LogSender replaces a gateway in development. It sends nothing and stores the last 50 messages in
// memory for its page (see [LogSender.Page]). The messages contain sign-in codes, so it must not be
// used in production. It is safe for concurrent use.
type LogSender struct {
	logger *slog.Logger
	now    func() time.Time

	mu       sync.Mutex
	sent     int
	messages []Message // oldest first
}

// NewLogSender returns a LogSender that also logs each message, unless logger is nil.
func NewLogSender(logger *slog.Logger, now func() time.Time) *LogSender {
	return &LogSender{logger: logger, now: now}
}

// Reaches implements [account.SMS]: every phone is reached, because nothing is sent.
func (*LogSender) Reaches(string) bool { return true }

// Send implements [shop.SMS]. It never fails.
func (s *LogSender) Send(ctx context.Context, to, text string) (messageID string, err error) {
	m := s.record(to, text)
	if s.logger != nil {
		s.logger.InfoContext(ctx, "SMS not sent in development", "to", to, "text", m.Text, "segments", m.Segments)
	}
	return m.ID, nil
}

func (s *LogSender) record(to, text string) Message {
	m := Message{At: s.now(), To: to, Text: text, Segments: account.SMSSegments(text)}
	if runes := []rune(text); len(runes) > maxTextRunes {
		m.Text = string(runes[:maxTextRunes]) + "…"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent++
	m.ID = fmt.Sprintf("log-%d", s.sent)
	if len(s.messages) == maxMessages {
		s.messages = slices.Delete(s.messages, 0, 1)
	}
	s.messages = append(s.messages, m)
	return m
}

// Messages returns the last 50 messages, newest first.
func (s *LogSender) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages := slices.Clone(s.messages)
	slices.Reverse(messages)
	return messages
}
