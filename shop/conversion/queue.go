package conversion

import (
	"context"
	"errors"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop/campaign"
	"storefront/shop/dispatch"
	"storefront/shop/outbox"
	"storefront/shop/queue"
)

// consumer is the name of the package's cursor in the outbox.
const consumer = outbox.Conversions

// Limits of the receivers.
const (
	// MaxAge is the age from which receivers refuse an event.
	MaxAge = 7 * 24 * time.Hour
	// DoubtTime is the time within which receivers recognize an event that they already have.
	DoubtTime = 48 * time.Hour
	// margin is the difference between the clocks of a receiver and this server, and the time of an
	// attempt.
	margin = 10 * time.Minute
)

const (
	eventBatch = 500 // events that one transaction queues conversions of
	// Retention is the time for which conversions are stored.
	Retention = 90 * 24 * time.Hour
	// browserRetention is the time for which a browser is stored if no receiver gets the order.
	browserRetention = 60 * 24 * time.Hour
)

// conversions is the queue. Delays vary, so that shops do not retry at the same time. They reach
// beyond MaxAge.
var conversions = queue.Table{
	Name: "conversions", ClaimTime: 4 * time.Minute,
	Delays: []time.Duration{
		30 * time.Second, 5 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 12 * time.Hour, 12 * time.Hour,
		24 * time.Hour, 24 * time.Hour, 24 * time.Hour, 24 * time.Hour, 24 * time.Hour, 24 * time.Hour,
	},
	Jitter: 0.1, MaxRetryAfter: 24 * time.Hour,
	Key: "id", Age: "at", Done: "due_at IS NULL", Retention: Retention, Batch: 1_000,
}

// ready is a receiver that gets events.
type ready struct {
	receiver Receiver
	step     Step
	byTag    bool // the buyer's browser reports the order too, when it is placed
}

// findReady returns the receivers that get events: the others lack a pixel or an access token.
func (c *Conversions) findReady(tx *db.Tx) (all []ready, err error) {
	set, err := c.cfg.Settings(tx)
	if err != nil {
		return nil, err
	}
	for _, r := range Receivers() {
		own := set.Of(r)
		if own.PixelID == "" || c.cfg.Senders[r] == nil {
			continue
		}
		token, err := c.findToken(tx, r)
		if err != nil {
			return nil, err
		}
		if token != "" {
			all = append(all, ready{r, own.step(), own.Tag && own.step() == AtPlacing})
		}
	}
	return all, nil
}

// Continue queues the conversions of new events, starts sending due ones, and returns the time at
// which the next one is due; a zero time means that none waits. It does not wait for the sending.
func (c *Conversions) Continue(ctx context.Context) (next time.Time, err error) {
	var isReady, hasCursor, pending bool
	err = c.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		all, err := c.findReady(tx)
		if err != nil {
			return err
		}
		isReady = len(all) > 0
		cursor, err := outbox.Cursor(tx, consumer)
		if hasCursor = !errors.Is(err, db.ErrNotFound); !hasCursor {
			return nil
		}
		if err != nil {
			return err
		}
		last, err := outbox.Last(tx)
		pending = last > cursor
		return err
	})
	if err == nil && isReady != hasCursor {
		err = c.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return setConsuming(tx, isReady) })
	}
	var held time.Time
	for pending && isReady && err == nil {
		err = c.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			pending, held, err = c.queueEvents(tx)
			return err
		})
	}
	if err != nil {
		return time.Time{}, err
	}
	return c.startDue(ctx, held)
}

// startDue starts sending the due conversions, and returns the time at which the next one is due or
// the next event is no longer held.
func (c *Conversions) startDue(ctx context.Context, held time.Time) (next time.Time, err error) {
	var due []Receiver
	err = c.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		if next, err = conversions.NextEnd(tx); err != nil {
			return err
		}
		next, due = queue.Earlier(next, held), nil
		for _, r := range Receivers() {
			at, err := conversions.NextDue(tx, time.Time{}, "receiver = ?", string(r))
			switch {
			case err != nil:
				return err
			case !at.IsZero() && !at.After(tx.Now()):
				due = append(due, r)
			default:
				next = queue.Earlier(next, at)
			}
		}
		return nil
	})
	for _, r := range due {
		c.cfg.Runner.Start(c.queueOf(r))
	}
	return next, err
}

// setConsuming makes the package a consumer of the outbox from now on, or ends that.
func setConsuming(tx *db.Tx, on bool) error {
	if !on {
		return outbox.DeleteCursor(tx, consumer)
	}
	if _, err := outbox.Cursor(tx, consumer); !errors.Is(err, db.ErrNotFound) {
		return err
	}
	last, err := outbox.Last(tx)
	if err != nil {
		return err
	}
	return outbox.Advance(tx, consumer, last)
}

// queueEvents queues the conversions of a batch of events, and reports whether there are more. held
// is the time until which the next one is held.
func (c *Conversions) queueEvents(tx *db.Tx) (more bool, held time.Time, err error) {
	cursor, err := outbox.Cursor(tx, consumer)
	if errors.Is(err, db.ErrNotFound) { // another run has just ended it
		return false, held, nil
	}
	if err != nil {
		return false, held, err
	}
	events, held, err := outbox.Released(tx, cursor, eventBatch)
	if err != nil {
		return false, held, err
	}
	if len(events) == 0 {
		return false, held, nil
	}
	all, err := c.findReady(tx)
	if err != nil {
		return false, held, err
	}
	for i := range events {
		if !events[i].Withdrawn {
			if err := c.queueEvent(tx, &events[i], all); err != nil {
				return false, held, err
			}
		}
	}
	return len(events) == eventBatch, held, outbox.Advance(tx, consumer, events[len(events)-1].Seq)
}

// steps are the steps of an order by their events.
var steps = map[outbox.Type]Step{
	outbox.OrderPlaced: AtPlacing, outbox.OrderConfirmed: AtConfirmation, outbox.ShipmentDelivered: AtDelivery, outbox.OrderCompleted: AtDelivery,
}

// queueEvent queues the conversions of an event. The first event of a step counts.
func (c *Conversions) queueEvent(tx *db.Tx, event *outbox.Event, all []ready) error {
	switch event.Type {
	case outbox.OrderCancelled, outbox.OrderExpired, outbox.OrderReturned:
		return campaign.DeleteBrowser(tx, event.Data.OrderNumber)
	}
	step, ok := steps[event.Type]
	if !ok {
		return nil
	}
	var found *orderRow
	for _, to := range all {
		if to.step != step {
			continue
		}
		if found == nil {
			var err error
			if found, err = findOrder(tx, event.Subject); err != nil {
				return err
			}
		}
		if !found.counts() {
			return nil
		}
		if !covers(campaign.Text(found.attribution.Consent.Wording), to.receiver) {
			continue
		}
		if err := insertConversion(tx, c.cfg.IDs.Next(tx.Now()), to, found.number, event.At); err != nil {
			return err
		}
	}
	return nil
}

// Limits of concurrent sending.
const (
	maxClaimed    = 100 // events, which one transaction claims and another one records
	maxConcurrent = 8   // requests to a receiver for one shop
	maxPerProcess = 8   // receivers of shops
)

// NewRunner returns a runner for the conversions of all shops of a process. The caller must close
// it.
func NewRunner() *dispatch.Runner { return dispatch.NewRunner(maxPerProcess) }

// queueOf returns the queue of a receiver.
func (c *Conversions) queueOf(r Receiver) dispatch.Queue {
	notSent := func(err error) { c.cfg.Log.Error("event not sent", "receiver", string(r), "error", err) }
	return dispatch.Queue{
		Name: string(c.cfg.Data.ID) + "/" + string(r),
		Next: func(ctx context.Context) bool {
			if !c.cfg.IsWorking(ctx) {
				return false
			}
			sent, err := c.sendNext(ctx, r)
			if err != nil {
				notSent(err)
			}
			return sent && err == nil
		},
		Failed: notSent,
	}
}

// outgoing is a conversion with the data for an attempt.
type outgoing struct {
	conversion *Conversion
	claim      queue.Claim
	event      Event
	doubtWas   *time.Time // since when its result is unknown, before this attempt
	answer     Answer
	took       time.Duration
}

// sendNext sends the next due conversions to a receiver together, and reports whether there were
// any. They are claimed before, in a transaction of their own, so that no other server sends them
// too. After a crash they are sent again when the claim ends.
func (c *Conversions) sendNext(ctx context.Context, r Receiver) (sent bool, err error) {
	var batch []*outgoing
	var account Account
	err = c.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		batch, account, sent, err = c.claimBatch(tx, r)
		return err
	})
	if err != nil {
		return sent, err
	}
	if len(batch) == 0 {
		return sent, nil
	}
	slots := make(chan struct{}, maxConcurrent)
	var sending sync.WaitGroup
	for _, o := range batch {
		slots <- struct{}{}
		sending.Go(func() {
			c.send(ctx, r, account, o)
			<-slots
		})
	}
	sending.Wait()
	isStopping := ctx.Err() != nil
	err = c.cfg.Data.Update(context.WithoutCancel(ctx), func(_ context.Context, tx *db.Tx) error {
		all, err := c.findReady(tx)
		if err != nil {
			return err
		}
		for _, o := range batch {
			if isStopping && o.answer.Verdict != Accepted { // the result is unknown, and it is sent again
				if _, err := conversions.Release(tx, o.claim, ""); err != nil {
					return err
				}
				continue
			}
			if err := record(tx, o, len(all)); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && !isStopping {
		c.cfg.Record(ctx, r, false, worst(batch))
	}
	return ctx.Err() == nil, err
}

// worst returns the answer that says most about the account: a failure of it before a success.
func worst(batch []*outgoing) Answer {
	a := batch[len(batch)-1].answer
	for _, o := range batch {
		switch {
		case o.answer.Account:
			return o.answer
		case o.answer.Verdict == Accepted:
			a = o.answer
		}
	}
	return a
}

// send sends a conversion once. A fault of the program, even a panic, only fails this attempt.
func (c *Conversions) send(ctx context.Context, r Receiver, account Account, o *outgoing) {
	began := time.Now()
	err := dispatch.Recovered(func() error {
		o.answer = c.cfg.Senders[r].Send(ctx, account, o.event)
		return nil
	})
	if err != nil {
		c.cfg.Log.Error("event not sent", "receiver", string(r), "conversion", o.conversion.ID, "error", err)
		o.answer = Answer{Verdict: Unknown, Problem: "The program has a fault. See its log."}
	}
	o.took = time.Since(began)
}

// claimBatch claims the due conversions to a receiver that are sent together. Those that must not
// be sent any more end. more reports whether there may be further ones.
func (c *Conversions) claimBatch(tx *db.Tx, r Receiver) (batch []*outgoing, account Account, more bool, err error) {
	set, err := c.cfg.Settings(tx)
	if err != nil {
		return nil, account, false, err
	}
	due, err := findDue(tx, r, maxClaimed)
	if err != nil {
		return nil, account, false, err
	}
	if len(due) == 0 {
		return nil, account, false, nil
	}
	account.PixelID = set.Of(r).PixelID
	if account.Token, err = c.findToken(tx, r); err != nil {
		return nil, account, false, err
	}
	for i := range due {
		d := &due[i]
		o := &outgoing{conversion: d, doubtWas: d.doubtSince}
		order, err := findOrder(tx, d.OrderID)
		if err != nil {
			return nil, account, false, err
		}
		if reason := d.blocked(tx.Now(), order, account); reason != "" {
			d.Error, d.Status, d.NextAt = &reason, StatusExpired, nil
			if err := endConversion(tx, d); err != nil {
				return nil, account, false, err
			}
			if err := forgetBrowser(tx, order.number, 0); err != nil {
				return nil, account, false, err
			}
			continue
		}
		if o.event, err = c.newEvent(tx, set, d, order); err != nil {
			return nil, account, false, err
		}
		d.Value = new(set.Currency.Money(order.value()))
		if d.doubtSince == nil {
			d.doubtSince = new(tx.Now())
		}
		o.claim, err = conversions.Claim(tx, ", doubt_since = COALESCE(doubt_since, ?)", "id = ?", db.Millis(tx.Now()), d.ID)
		if err != nil {
			return nil, account, false, err
		}
		batch = append(batch, o)
	}
	return batch, account, true, nil
}

// Reasons for not sending.
const (
	reasonLate      = "Not sent: the receiver refuses events of more than 7 days ago."
	reasonDoubt     = "Not sent: the receiver may have the order already, and from 48 hours on it would count it twice."
	reasonClosed    = "Not sent: the order was cancelled or returned before."
	reasonErased    = "Not sent: the buyer's data was erased."
	reasonNoAccount = "Not sent: the receiver has no pixel or access token."
)

// blocked returns why the conversion must not be sent any more, "" if it may be.
func (d *Conversion) blocked(now time.Time, order *orderRow, account Account) string {
	switch {
	case order.isErased():
		return reasonErased
	case order.isClosed():
		return reasonClosed
	case account.PixelID == "" || account.Token == "":
		return reasonNoAccount
	case !now.Before(d.At.Add(MaxAge - margin)):
		return reasonLate
	case d.doubtSince != nil && !now.Before(d.doubtSince.Add(DoubtTime-margin)):
		return reasonDoubt
	}
	return ""
}

// record records an attempt, unless its claim ended: another server sends the conversion, or the
// buyer was erased. The browser of the order is erased once that many receivers have a final
// result.
func record(tx *db.Tx, o *outgoing, receivers int) error {
	d, a := o.conversion, &o.answer
	d.Attempts++
	d.ResponseStatus, d.Answer, d.Error, d.TookMs = nil, a.Text, db.NullText(a.Problem), new(int(o.took.Milliseconds()))
	if a.Status > 0 {
		d.ResponseStatus = &a.Status
	}
	switch a.Verdict {
	case Accepted:
		d.Status, d.NextAt, d.doubtSince = StatusSent, nil, nil
	case Refused:
		d.Status, d.NextAt, d.doubtSince = StatusRefused, nil, o.doubtWas
	case NotReceived:
		d.doubtSince = o.doubtWas
		d.NextAt = conversions.Retry(tx.Now(), min(d.Attempts, len(conversions.Delays)), a.RetryAfter)
	default:
		d.NextAt = conversions.Retry(tx.Now(), min(d.Attempts, len(conversions.Delays)), a.RetryAfter)
	}
	held, err := saveAttempt(tx, o.claim, d)
	if err != nil {
		return err
	}
	if !held || d.NextAt != nil {
		return nil
	}
	number, err := findOrderNumber(tx, d.ID)
	if err != nil {
		return err
	}
	return forgetBrowser(tx, number, receivers)
}

// forgetBrowser deletes the browser of an order once that many receivers have a final result, and
// none waits.
func forgetBrowser(tx *db.Tx, number int64, receivers int) error {
	final, waiting, err := countConversions(tx, number)
	if err != nil {
		return err
	}
	if waiting > 0 || final < receivers {
		return nil
	}
	return campaign.DeleteBrowser(tx, number)
}

// Purge deletes the conversions that are older than [Retention], and old browsers. It returns a
// zero time: it runs with the other purges.
func (c *Conversions) Purge(ctx context.Context) (next time.Time, err error) {
	if _, err := conversions.Purge(ctx, c.cfg.Data); err != nil {
		return time.Time{}, err
	}
	err = campaign.PurgeBrowsers(ctx, c.cfg.Data, browserRetention)
	return time.Time{}, err
}
