package shoptest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/locale"
	"storefront/shop/message"
	"storefront/shop/order"
)

// Messenger is the shop "test", which sends messages to buyers.
type Messenger struct {
	*shop.Shop
	SMS     *SMS
	Mail    *Mail
	Clock   *Clock
	Product *catalogue.Product

	tb    testing.TB
	store *db.Store
}

// NewMessenger creates a shop with settings of messages to buyers.
func NewMessenger(tb testing.TB, settings map[string]any) *Messenger {
	tb.Helper()
	m := &Messenger{SMS: &SMS{}, Mail: NewMail(), Clock: NewClock(), tb: tb}
	m.store = NewStore(tb, m.Clock)
	m.Shop = New(
		tb,
		&Options{SMS: m.SMS, Mail: m.Mail, Clock: m.Clock, Store: m.store, Settings: map[string]any{
			"name": "Acme", "storefrontUrl": "https://shop.example/?lang=en", "buyerMessages": settings,
		}},
	)
	product, err := m.Catalogue.CreateProduct(
		context.Background(),
		access.Operator(),
		catalogue.ProductInput{
			Title: "Tea", Variants: []catalogue.VariantInput{{Price: 10_000}},
		},
	)
	if err != nil {
		tb.Fatal(err)
	}
	m.Product = &product.Product
	return m
}

// Order places an order of a guest.
func (m *Messenger) Order() *order.Placed {
	m.tb.Helper()
	return m.OrderIn("")
}

// OrderIn places an order of a guest in a language; "" means an unknown one.
func (m *Messenger) OrderIn(language locale.Language) *order.Placed {
	m.tb.Helper()
	in := GuestOrder(m.Product.ID, 1)
	in.Customer.Email = new("buyer@example.com")
	placed, err := m.Orders.PlaceOrder(context.Background(), access.Caller{Language: language}, in, "")
	if err != nil {
		m.tb.Fatal(err)
	}
	return placed
}

// Send runs the background work until nothing is due.
func (m *Messenger) Send() (next time.Time) {
	m.tb.Helper()
	for {
		next, err := m.Messages.SendDue(context.Background())
		if err != nil {
			m.tb.Fatal(err)
		}
		if next.IsZero() || next.After(m.Clock.Now()) {
			return next
		}
	}
}

// List returns the messages, newest first, with their billed segments.
func (m *Messenger) List() string {
	m.tb.Helper()
	var lines []string
	for _, r := range m.find(message.Filter{}) {
		lines = append(
			lines,
			fmt.Sprintf("%d %s %s %s %d", r.OrderNumber, r.Event, r.Channel, r.Status, r.Segments),
		)
	}
	return strings.Join(lines, "; ")
}

// SentEvents returns the messages about an order in the order of their events, with their status.
func (m *Messenger) SentEvents(number int64) (sent []string) {
	m.tb.Helper()
	list := m.find(message.Filter{OrderNumber: number})
	for _, event := range message.Events() {
		for _, r := range list {
			if r.Event == event {
				sent = append(sent, fmt.Sprint(r.Event, " ", r.Status))
			}
		}
	}
	return sent
}

func (m *Messenger) find(filter message.Filter) []message.Record {
	m.tb.Helper()
	list, err := m.Messages.ListBuyerMessages(context.Background(), access.Operator(), filter)
	if err != nil {
		m.tb.Fatal(err)
	}
	return list.Nodes
}

// Texts returns the text messages sent so far, oldest first.
func (m *Messenger) Texts() (texts []string) {
	for _, sent := range m.SMS.Messages() {
		texts = append(texts, sent.Text)
	}
	return texts
}

// Number runs a query on the shop's file that returns one number.
func (m *Messenger) Number(query string) int64 {
	m.tb.Helper()
	return Number(m.tb, m.store, m.UID(), query)
}

// Exec runs a statement on the shop's file.
func (m *Messenger) Exec(query string) {
	m.tb.Helper()
	Exec(m.tb, m.store, m.UID(), query)
}
