package sms

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"storefront/shop"
)

// Bounds of what a LogSender remembers.
const (
	maxMessages  = 50
	maxTextRunes = 1600
)

// Message is a text message that was not really sent.
type Message struct {
	ID       string
	At       time.Time
	To       string // E.164
	Text     string
	Segments int // what a gateway would have billed
}

// LogSender stands in for a gateway during development: it sends nothing, and keeps the last 50
// messages in memory, to be read on its page (see [LogSender.Page]). Its messages hold codes that
// sign customers in, so it has no place where customers are real.
type LogSender struct {
	logger *slog.Logger
	now    func() time.Time

	mu       sync.Mutex
	sent     int
	messages []Message // oldest first
}

// NewLogSender makes a LogSender that also writes each message to logger, unless that is nil.
func NewLogSender(logger *slog.Logger, now func() time.Time) *LogSender {
	return &LogSender{logger: logger, now: now}
}

// Send implements [shop.SMS]. It always succeeds.
func (s *LogSender) Send(ctx context.Context, to, text string) (messageID string, err error) {
	m := s.record(to, text)
	if s.logger != nil {
		s.logger.InfoContext(ctx, "SMS, not sent in development", "to", to, "text", m.Text, "segments", m.Segments)
	}
	return m.ID, nil
}

func (s *LogSender) record(to, text string) Message {
	m := Message{At: s.now(), To: to, Text: text, Segments: shop.SMSSegments(text)}
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

// Messages gives the last 50 messages, the newest first.
func (s *LogSender) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages := slices.Clone(s.messages)
	slices.Reverse(messages)
	return messages
}
