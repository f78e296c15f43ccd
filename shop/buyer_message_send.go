package shop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/page"
	"storefront/shop/sender"
)

const (
	messageBatch       = 20 // sent by one run, so that other work of the shop waits for no slow gateway
	messageConcurrency = 4
	messageClaim       = 5 * time.Minute // longer than any gateway needs
	messageDelayed     = time.Minute     // a later message is sent if what it says still holds
	messageLate        = 12 * time.Hour  // a later message would confuse
	messageRetention   = 90 * 24 * time.Hour
	maxMessageAttempts = 5
)

// messageDelays are the delays after refused attempts.
func messageDelays() []time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}
}

// MessageRecord is a message to a buyer as staff members see it. Its text is not stored.
type MessageRecord struct {
	OrderNumber int64          `json:"orderNumber"`
	OrderID     string         `json:"orderId"`
	Event       MessageEvent   `json:"event"`
	Channel     MessageChannel `json:"channel"`
	Status      MessageStatus  `json:"status"`
	Reason      string         `json:"reason"` // why it failed or was skipped; "": it was not
	Attempts    int            `json:"attempts"`
	MessageID   string         `json:"messageId"`
	Segments    int            `json:"segments"` // billed
	CreatedAt   time.Time      `json:"createdAt"`
	UpdatedAt   time.Time      `json:"updatedAt"`
}

func parseBuyerMessages(value string) (set BuyerMessages, err error) {
	if err := json.Unmarshal([]byte(value), &set); err != nil {
		return BuyerMessages{}, fmt.Errorf("parse setting buyerMessages: %w", err)
	}
	return set, nil
}

// outgoingMessage is a claimed message with its text.
type outgoingMessage struct {
	messageRow
	to, subject, text string
	html              string // of an e-mail
	segments          int
}

// SendBuyerMessages sends the messages that are due, and returns when the next one is; a zero time
// means none. It is called in the background, outside of the orders' transactions.
//
// Each message is claimed in a transaction of its own before it is sent. A message that a gateway
// refused is tried again; one whose result is unknown, after a crash for example, is not: it is
// sent at most once.
func (s *Shop) SendBuyerMessages(ctx context.Context) (next time.Time, err error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return time.Time{}, err
	}
	due, err := s.nextMessage(ctx)
	if err != nil || due == nil || due.After(s.now()) {
		return timeOrZero(due), err
	}
	tokens, err := s.orderTokens(ctx)
	if err != nil {
		return time.Time{}, err
	}
	var claimed []outgoingMessage
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		claimed, err = set.claimMessages(tx, tokens)
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, messageConcurrency)
	failures := make([]error, len(claimed))
	for i, m := range claimed {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			failures[i] = s.sendMessage(ctx, m)
		})
	}
	wg.Wait()
	if err := errors.Join(failures...); err != nil {
		return time.Time{}, err
	}
	due, err = s.nextMessage(ctx)
	return timeOrZero(due), err
}

// timeOrZero returns a time, or the zero time for nil.
func timeOrZero(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

func (s *Shop) nextMessage(ctx context.Context) (due *time.Time, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		due, err = findNextMessage(tx)
		return err
	})
	return due, err
}

// claimMessages marks due messages as being sent, within the budget, and returns them with their
// texts.
func (set *cachedSettings) claimMessages(tx *db.Tx, tokens orderTokens) (claimed []outgoingMessage, err error) {
	if err := endInterrupted(tx); err != nil {
		return nil, err
	}
	if err := purgeMessages(tx, tx.Now().Add(-messageRetention)); err != nil {
		return nil, err
	}
	rows, err := findDueMessages(tx, messageBatch)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		m, skipped, err := set.prepareMessage(tx, row, tokens)
		if err != nil {
			return nil, err
		}
		if skipped != "" {
			if err := saveMessage(tx, row, MessageSkipped, skipped, "", 0, nil); err != nil {
				return nil, err
			}
			continue
		}
		m.attempts++
		claim := tx.Now().Add(messageClaim)
		if err := saveMessage(tx, m.messageRow, MessageSending, "", "", m.segments, &claim); err != nil {
			return nil, err
		}
		claimed = append(claimed, m)
	}
	return claimed, nil
}

// prepareMessage returns a message with its text, or why it is not sent.
func (set *cachedSettings) prepareMessage(
	tx *db.Tx, row messageRow, tokens orderTokens,
) (m outgoingMessage, skipped string, err error) {
	o, err := findOrderByNumber(tx, row.orderNumber)
	if err != nil {
		return m, "", err
	}
	m = outgoingMessage{messageRow: row, to: o.phone, subject: set.messageSubject(o), segments: 1}
	if row.channel == ChannelEmail {
		m.to = db.TextOf(o.email)
	}
	refunded, _ := strconv.ParseInt(row.subject, 10, 64) // 0 unless it is an amount
	issued, err := findOrderToken(tx, o.id)
	if err != nil {
		return m, "", err
	}
	values := set.messageValues(row.event, o, refunded, tokens.create(o.id, issued.revision))
	m.text = values.fill(set.template(row.event, set.messageLanguage()))
	if row.channel == ChannelSMS {
		m.segments = sender.Segments(m.text)
	} else if m.html, err = set.messageHTML(tx, o, m.text, values.Link); err != nil {
		return m, "", err
	}
	sent, err := sumMessages(tx, row.channel, tx.Now().Add(-24*time.Hour))
	if err != nil {
		return m, "", err
	}
	contact, err := findContactRow(tx, o.phone)
	age := tx.Now().Sub(db.FromMillis(row.createdAt))
	switch {
	case err != nil:
		return m, "", err
	case contact.blocked != BlockNone:
		return m, "The buyer is blocked.", nil
	case m.to == "":
		return m, "The buyer's data was erased.", nil
	case row.event == MessagePaymentLink && o.paymentBlocked() != "":
		return m, "The order cannot be paid any more.", nil
	case (row.attempts > 0 || age > messageDelayed) && !row.event.holds(o):
		return m, "The order has changed since: what it says no longer holds.", nil
	case age > messageLate:
		return m, "It could not be sent in time.", nil
	case sent+int64(m.segments) > set.BuyerMessages.perDay():
		return m, "The day's budget of messages (perDay) is used up.", nil
	}
	return m, "", nil
}

// sendMessage sends a claimed message and records the result.
func (s *Shop) sendMessage(ctx context.Context, m outgoingMessage) error {
	var messageID string
	var sendErr error
	if m.channel == ChannelSMS {
		messageID, sendErr = s.Sender.SendText(ctx, m.to, m.text)
	} else {
		messageID, sendErr = s.Sender.SendMail(ctx, sender.Email{To: m.to, Subject: m.subject, Text: m.text + "\n", HTML: m.html})
	}
	return s.data.Update(context.WithoutCancel(ctx), func(_ context.Context, tx *db.Tx) error {
		switch delays := messageDelays(); {
		case sendErr == nil:
			return saveMessage(tx, m.messageRow, MessageSent, "", messageID, m.segments, nil)
		case sender.IsUnknown(sendErr):
			return saveMessage(tx, m.messageRow, MessageUnknown, sender.Reason(sendErr), "", m.segments, nil)
		case m.attempts <= len(delays):
			due := tx.Now().Add(delays[m.attempts-1])
			return saveMessage(tx, m.messageRow, MessageQueued, sender.Reason(sendErr), "", 0, &due)
		}
		return saveMessage(tx, m.messageRow, MessageFailed, sender.Reason(sendErr), "", 0, nil)
	})
}

// MessageFilter selects messages to buyers. The zero value selects the first page of all.
type MessageFilter struct {
	page.Request
	Order  int64           // number of the order; 0: any
	Status []MessageStatus // empty: any
}

// ListBuyerMessages returns one page of the messages to buyers, newest first. Codes:
// validation_failed, unauthenticated, forbidden.
func (s *Shop) ListBuyerMessages(ctx context.Context, caller access.Caller, filter MessageFilter) (*page.List[MessageRecord], error) {
	who, err := s.requireStaff(ctx, caller, access.ToListBuyerMessages)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := filter.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	var list []MessageRecord
	var count page.Count
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		list, count, err = listMessages(tx, filter, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &page.List[MessageRecord]{Nodes: db.OrEmpty(list), Meta: w.ListMetaFor(count, len(list))}, nil
}

// ListMessageTemplates returns the templates of messages in both languages. Codes: unauthenticated,
// forbidden.
func (s *Shop) ListMessageTemplates(ctx context.Context, caller access.Caller) ([]MessageTemplate, error) {
	if _, err := s.requireStaff(ctx, caller, access.ToListMessageTemplates); err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var list []MessageTemplate
	for _, event := range MessageEvents() {
		for _, language := range []locale.Language{locale.English, locale.Bangla} {
			text, example := set.template(event, language), set.example(event, language)
			list = append(list, MessageTemplate{
				Event: event, Language: language, Own: set.BuyerMessages.Templates[event][language] != "", Text: text, Example: *example,
				Segments: sender.Segments(example.fill(text)), Channels: set.channelsOf(event),
			})
		}
	}
	return list, nil
}

// channelsOf returns the channels that notify of an event.
func (set *Settings) channelsOf(event MessageEvent) []MessageChannel {
	channels := []MessageChannel{}
	for _, channel := range []MessageChannel{ChannelSMS, ChannelEmail} {
		for _, on := range set.BuyerMessages.events(channel) {
			if on == event {
				channels = append(channels, channel)
			}
		}
	}
	return channels
}

// SendTestMessage sends an example of the message about an event to a phone number or an e-mail
// address. It does not count towards the budget, but is limited by [sender.LimitTests]. Codes:
// validation_failed, rate_limited, sms_unavailable, email_unavailable, unauthenticated, forbidden.
func (s *Shop) SendTestMessage(ctx context.Context, caller access.Caller, event MessageEvent, to string) (messageID, text string, err error) {
	who, err := s.requireStaff(ctx, caller, access.ToSendTestMessage)
	if err != nil {
		return "", "", err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return "", "", err
	}
	if set.template(event, set.messageLanguage()) == "" {
		var bad fault.Invalid
		bad.Add("event", fault.CodeInvalidValue, "%s", mustBeEvent())
		return "", "", bad.Err()
	}
	values := set.example(event, set.messageLanguage())
	text = values.fill(set.template(event, set.messageLanguage()))
	example := sender.Email{Subject: set.messageSubject(exampleOrder()), Text: text}
	err = s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		if err := sender.LimitTests(tx, access.ToSendTestMessage); err != nil {
			return err
		}
		if example.HTML, err = set.messageHTML(tx, exampleOrder(), text, values.Link); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: access.SubjectMessage, ID: string(event)})
	})
	if err != nil {
		return "", "", err
	}
	messageID, err = s.Sender.SendTo(ctx, to, example)
	return messageID, text, err
}
