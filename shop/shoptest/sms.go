package shoptest

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"testing"

	"storefront/shop"
)

// SMS is a gateway that keeps the messages that it is given. The zero value takes all of them.
type SMS struct {
	mu       sync.Mutex
	messages []Message
	answer   func(to, text string) error
}

// Message is a text message that a shop sent.
type Message struct{ To, Text string }

// Answer has the gateway answer as fn says from now on; nil: it takes every message. It keeps the
// messages that fn refuses, too.
func (s *SMS) Answer(fn func(to, text string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = fn
}

// Send implements [shop.SMS].
func (s *SMS) Send(_ context.Context, to, text string) (string, error) {
	s.mu.Lock()
	s.messages = append(s.messages, Message{to, text})
	id, answer := fmt.Sprintf("message-%d", len(s.messages)), s.answer
	s.mu.Unlock()
	if answer != nil {
		return id, answer(to, text)
	}
	return id, nil
}

// New implements [shop.NewSMS]: it needs no configuration.
func (s *SMS) New([]byte) (shop.SMS, error) { return s, nil }

// Messages gives what was sent so far, oldest first.
func (s *SMS) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message(nil), s.messages...)
}

var codePattern = regexp.MustCompile(`\b[0-9]{4}\b`)

// Code gives the code in the last message to a phone in E.164.
func (s *SMS) Code(tb testing.TB, phone string) string {
	tb.Helper()
	messages := s.Messages()
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].To == phone {
			return codePattern.FindString(messages[i].Text)
		}
	}
	tb.Fatalf("no message to %s", phone)
	return ""
}
