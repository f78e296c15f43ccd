package shoptest

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"testing"

	"storefront/shop/sender"
)

// SMS is an SMS gateway that stores the messages. The zero value accepts all of them. It is safe
// for concurrent use.
type SMS struct {
	mu       sync.Mutex
	messages []Message
	answer   func(to, text string) error
}

// Message is a text message that a shop sent.
type Message struct{ To, Text string }

// Answer sets the function that decides the response to each message; nil accepts all. Messages
// that fn refuses are stored too.
func (s *SMS) Answer(fn func(to, text string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = fn
}

// Send implements [sender.SMS].
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

// Reaches implements [sender.SMS]: every phone is reached.
func (*SMS) Reaches(string) bool { return true }

// New implements [sender.NewSMS]: it needs no configuration.
func (s *SMS) New([]byte, string) (sender.SMS, error) { return s, nil }

// Messages returns the messages sent so far, oldest first.
func (s *SMS) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message(nil), s.messages...)
}

var codePattern = regexp.MustCompile(`\b[0-9]{4}\b`)

// Code returns the code in the last message to a phone number in E.164.
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
