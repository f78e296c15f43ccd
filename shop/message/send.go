package message

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/queue"
	"storefront/shop/sender"
)

const (
	batchSize   = 20 // sent by one run, so that other work of the shop waits for no slow gateway
	concurrency = 4
	delayed     = time.Minute    // a later message is sent if it is current
	tooLate     = 12 * time.Hour // a later message would confuse
	window      = 24 * time.Hour // of the budget
)

// messages is the queue of messages. Delays follow refused attempts.
var messages = queue.Table{
	Name: "buyer_messages", ClaimTime: 5 * time.Minute, // longer than any gateway needs
	Delays: []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour},
	Key:    "order_number, event, subject, channel", Age: "created_at", Done: "due_at IS NULL",
	Retention: 90 * 24 * time.Hour, Batch: 1_000,
}

// outgoing is a claimed message with its text.
type outgoing struct {
	row
	to, subject, text string
	html              string // of an e-mail
	segments          int
	claim             queue.Claim
}

// SendDue sends the messages that are due, and returns when the next one is; a zero time means
// none. It is called in the background, outside of the orders' transactions.
//
// Each message is claimed in a transaction of its own before it is sent. A message that a gateway
// refused is tried again. If the result is unknown, after a crash for example, the message is not:
// it is sent at most once.
func (m *Messages) SendDue(ctx context.Context) (next time.Time, err error) {
	due, err := m.findNext(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if due.IsZero() || due.After(m.cfg.Now()) {
		return due, nil
	}
	if _, err := messages.Purge(ctx, m.cfg.Data); err != nil {
		return time.Time{}, err
	}
	claimed, err := m.claim(ctx)
	if err != nil {
		return time.Time{}, err
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, concurrency)
	failures := make([]error, len(claimed))
	for i, out := range claimed {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			failures[i] = m.send(ctx, out)
		})
	}
	wg.Wait()
	if err := errors.Join(failures...); err != nil {
		return time.Time{}, err
	}
	return m.findNext(ctx)
}

// findNext returns when the next message is due; a zero time means none.
func (m *Messages) findNext(ctx context.Context) (next time.Time, err error) {
	err = m.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		next, err = messages.Next(tx, time.Time{})
		return err
	})
	return next, err
}

// claim marks due messages as being sent, within the budget, and returns them with their texts.
func (m *Messages) claim(ctx context.Context) (claimed []outgoing, err error) {
	shop, err := m.cfg.Shop(ctx)
	if err != nil {
		return nil, err
	}
	findOrder, err := m.cfg.Orders(ctx)
	if err != nil {
		return nil, err
	}
	err = m.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		claimed = nil
		if err := endInterrupted(tx); err != nil {
			return err
		}
		rows, err := findDueMessages(tx, batchSize)
		if err != nil {
			return err
		}
		for _, r := range rows {
			order, err := findOrder(tx, r.orderNumber)
			if err != nil {
				return err
			}
			out, skipped, err := shop.in(order.Language).claim(tx, r, order)
			if err != nil {
				return err
			}
			if !skipped {
				claimed = append(claimed, out)
			}
		}
		return nil
	})
	return claimed, err
}

// claim marks a message about an order as being sent, or as skipped, and returns it with its text.
func (s *Shop) claim(tx *db.Tx, r row, o *Order) (out outgoing, skipped bool, err error) {
	out, err = s.prepare(tx, r, o)
	if err != nil {
		return out, false, err
	}
	reason := s.uninvited(r.event, o)
	if reason == "" {
		if reason, err = s.skipReason(tx, &out, o); err != nil {
			return out, false, err
		}
	}
	if reason != "" {
		return out, true, skipMessage(tx, r, reason)
	}
	out.attempts++
	out.claim, err = claimMessage(tx, out)
	return out, false, err
}

// prepare returns a message with its text.
func (s *Shop) prepare(tx *db.Tx, r row, o *Order) (out outgoing, err error) {
	refunded, _ := strconv.ParseInt(r.subject, 10, 64) // 0 unless it is an amount
	values := s.values(r.event, o, refunded)
	out = outgoing{
		row: r, to: o.Contact.at(r.channel), subject: s.subject(o),
		text: values.fill(s.template(r.event, s.Language)), segments: 1,
	}
	if r.channel == SMS {
		out.segments = sender.Segments(out.text)
		return out, nil
	}
	out.html, err = s.html(tx, o, out.text, values.Link)
	return out, err
}

// skipReason returns why a message is not sent; "" if it is.
func (s *Shop) skipReason(tx *db.Tx, out *outgoing, o *Order) (string, error) {
	sent, err := sumMessages(tx, out.channel, tx.Now().Add(-window))
	if err != nil {
		return "", err
	}
	if out.channel == SMS && !out.event.isEssential() {
		err := s.Plan.CheckMessage(tx, s.Zone, out.segments)
		if fault.HasCode(err, fault.CodePlanLimit) {
			return "The text messages of the shop's plan are used up this month.", nil
		}
		if err != nil {
			return "", err
		}
	}
	age := tx.Now().Sub(db.FromMillis(out.createdAt)) - out.event.delay()
	switch isDelayed := out.attempts > 0 || age > delayed; {
	case o.IsBlocked:
		return "The buyer is blocked.", nil
	case out.to == "":
		return "The buyer's data was erased.", nil
	case out.event == PaymentLink && !o.IsPayable:
		return "The order cannot be paid any more.", nil
	case isDelayed && !out.event.isCurrent(o):
		return "The order has changed, so the message is no longer true.", nil
	case age > tooLate:
		return "It could not be sent in time.", nil
	case sent+int64(out.segments) > s.Settings.perDay():
		return "The day's budget of messages (perDay) is used up.", nil
	}
	return "", nil
}

// uninvited returns why the buyer is not invited to review an order; "" for other events, and if
// nothing prevents it.
func (s *Shop) uninvited(event Event, o *Order) string {
	switch {
	case event != Review:
	case !event.isCurrent(o):
		return "The order came back."
	case o.IsReviewed:
		return "The buyer has already written a review."
	case !s.HasPages:
		return "The shop's site, on which buyers write reviews, is switched off."
	}
	return ""
}

// delay is the time from the event to the message about it.
func (e Event) delay() time.Duration {
	if e == Review {
		return 3 * 24 * time.Hour
	}
	return 0
}

// send sends a claimed message and records the result.
func (m *Messages) send(ctx context.Context, out outgoing) error {
	var messageID string
	var sendErr error
	if out.channel == SMS {
		messageID, sendErr = m.cfg.Sender.SendText(ctx, out.to, out.text)
	} else {
		messageID, sendErr = m.cfg.Sender.SendMail(ctx, sender.Email{
			To: out.to, Subject: out.subject, Text: out.text + "\n", HTML: out.html,
		})
	}
	return m.cfg.Data.Update(context.WithoutCancel(ctx), func(_ context.Context, tx *db.Tx) error {
		if sendErr == nil {
			return saveResult(tx, out, result{status: Sent, messageID: messageID, segments: out.segments})
		}
		failed := result{status: Failed, reason: sender.Reason(sendErr)}
		if sender.IsUnknown(sendErr) {
			failed.status, failed.segments = Unknown, out.segments
		} else if failed.due = messages.Retry(tx.Now(), out.attempts, 0); failed.due != nil {
			failed.status = Queued
		}
		return saveResult(tx, out, failed)
	})
}
