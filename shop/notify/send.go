package notify

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/dispatch"
	"storefront/shop/fault"
	"storefront/shop/outbox"
	"storefront/shop/queue"
)

const (
	// lifetime is the time for which a notification is useful after its event, quiet hours aside.
	lifetime = 4 * time.Hour
	// maxSingle limits the due notifications to one target that are sent one by one. More are sent as
	// one.
	maxSingle = 3
	// maxSMS limits the text messages of a shop to its members in 24 hours.
	maxSMS = 30
	// maxTestSMS limits the tests among them, and maxOwnTestSMS the tests of one member: they must
	// leave room for the shop's events.
	maxTestSMS    = 10
	maxOwnTestSMS = 3
	// maxFailing is the time for which a browser's push service may refuse every message before it is
	// deleted.
	maxFailing = 14 * 24 * time.Hour
)

// reasonSMSLimit is the reason if a text message was not sent.
const reasonSMSLimit = "The shop has sent 30 text messages to its members in 24 hours, which is the limit."

// reasonTestLimit is the reason if a text message was not tested.
const reasonTestLimit = "The limit of test messages in 24 hours is reached. The remaining messages are reserved for events of the shop."

// notifications is the queue of notifications.
var notifications = queue.Table{
	Name: "notifications", ClaimTime: time.Minute,
	Delays:        []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour},
	MaxRetryAfter: time.Hour,
	Key:           "id", Age: "at", Done: "due_at IS NULL", Retention: Retention, Batch: 1_000,
}

// outgoing is one message for one or several notifications.
type outgoing struct {
	ref      targetRef
	message  Message
	attempts int // with this one
	claim    queue.Claim
}

// Limits of concurrent sending, so that a slow or dead push service, or the devices of one member
// or one shop, leave room for others.
const (
	maxPerMember  = 3
	maxPerShop    = 6
	maxPerHost    = 8
	maxPerProcess = 24
)

// NewRunner returns a runner for the notifications of all shops of a process. The caller must close
// it.
func NewRunner() *dispatch.Runner { return dispatch.NewRunner(maxPerProcess) }

// queueOf returns the queue of a target.
func (n *Notify) queueOf(to targetRef) dispatch.Queue {
	shop := string(n.cfg.Data.ID)
	return dispatch.Queue{
		Name: shop + "/" + to.key,
		Within: []dispatch.Limit{
			{Name: "member " + shop + "/" + to.staffID, Max: maxPerMember},
			{Name: "shop " + shop, Max: maxPerShop},
			{Name: "host " + to.host, Max: maxPerHost},
		},
		Next: func(ctx context.Context) bool {
			if !n.cfg.IsWorking(ctx) {
				return false
			}
			sent, err := n.sendNext(ctx, to)
			if err != nil && ctx.Err() == nil {
				n.cfg.Log.Error("notification not sent", "channel", to.channel, "staff", to.staffID, "error", err)
			}
			return sent && err == nil
		},
		Failed: func(err error) {
			n.cfg.Log.Error("notification not sent", "channel", to.channel, "staff", to.staffID, "error", err)
		},
	}
}

// sendNext sends the next due notifications of a target, and reports whether there were any.
//
// They are claimed in a transaction of their own before the sending. After a crash in between, a
// push message, a chat message or an e-mail is sent again with the same ID, so that a browser
// replaces the first. A text message is not sent again: it costs money.
func (n *Notify) sendNext(ctx context.Context, to targetRef) (sent bool, err error) {
	var o *outgoing
	var handled bool
	set, err := n.cfg.Settings(ctx)
	if err != nil {
		return false, err
	}
	err = n.cfg.Data.Update(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		o, handled, err = n.claim(ctx, tx, set, to)
		return err
	})
	if err != nil {
		return handled, err
	}
	if o == nil {
		return handled, nil
	}
	o.message.Shop = set.ShopName
	result := n.notify(ctx, to.channel, o.message)
	if ctx.Err() != nil { // the process stops: the result is unknown
		return false, nil
	}
	return true, n.cfg.Data.Update(context.WithoutCancel(ctx), func(_ context.Context, tx *db.Tx) error { return n.record(tx, o, result) })
}

// notify sends a message by a channel. A panic fails this attempt.
func (n *Notify) notify(ctx context.Context, channel Channel, m Message) error {
	notifier := n.cfg.Notifiers[channel]
	if notifier == nil {
		return &Error{Refused: true, Err: errors.New("this program does not send by " + string(channel))}
	}
	err := dispatch.Recovered(func() error { return notifier.Notify(ctx, m) })
	if errors.Is(err, dispatch.ErrPanic) {
		n.cfg.Log.Error("notification not sent", "channel", channel, "error", err)
		return &Error{Err: errors.New("the program has failed")}
	}
	return err
}

// claim marks a target's due notifications as being sent and returns them. It returns nil if there
// is nothing to send, and reports whether it changed anything. In the member's quiet hours, which
// may have begun since the queueing, it postpones them to the end of these.
func (n *Notify) claim(
	ctx context.Context, tx *db.Tx, set *Settings, to targetRef,
) (o *outgoing, handled bool, err error) {
	due, err := findDue(tx, to.key, maxSingle+1)
	if err != nil {
		return nil, false, err
	}
	if len(due) == 0 {
		return nil, false, nil
	}
	if to.channel == SMS {
		interrupted, err := endInterrupted(tx, to.key)
		if err != nil {
			return nil, false, err
		}
		if interrupted > 0 {
			return nil, true, nil
		}
	}
	r, target, err := n.resolve(tx, to)
	if err != nil {
		return nil, false, err
	}
	if r == nil {
		return nil, true, endDue(tx, to.key, StatusSkipped, "The member cannot be reached by this channel any more.")
	}
	if until := r.quiet.after(tx.Now(), set.Zone); until.After(tx.Now()) {
		return nil, true, postponeDue(tx, to.key, until)
	}
	if to.channel == SMS {
		sent, err := countSMS(tx, tx.Now().Add(-24*time.Hour))
		if err != nil {
			return nil, false, err
		}
		if sent >= maxSMS {
			return nil, true, endDue(tx, to.key, StatusSkipped, reasonSMSLimit)
		}
	}
	return n.compose(ctx, tx, set, r, due, &outgoing{ref: to, attempts: due[0].attempts + 1, message: Message{To: target}})
}

// compose marks due notifications as being sent, and writes their message: the text of the first,
// or a digest if they are many. It returns nil if there is nothing to report.
func (n *Notify) compose(
	ctx context.Context, tx *db.Tx, set *Settings, r *recipient, due []notificationRow, o *outgoing,
) (composed *outgoing, handled bool, err error) {
	var text *Text
	if len(due) > maxSingle {
		text, err = n.claimDigest(tx, set, r, due, o)
	} else {
		text, err = n.claimFirst(ctx, tx, set, r, due[0], o)
	}
	if errors.Is(err, dispatch.ErrPanic) { // the next notification must not wait for this one forever
		n.cfg.Log.Error("notification not written", "channel", o.ref.channel, "staff", o.ref.staffID, "error", err)
		return nil, true, o.end(tx, StatusFailed, "The program could not prepare it.")
	}
	if err != nil {
		return nil, false, err
	}
	if text == nil {
		return nil, true, o.end(tx, StatusSkipped, "There is nothing to report any more.")
	}
	o.message.Title, o.message.Body, o.message.Picture = text.Title, text.Body, text.Picture
	o.message.URL, o.message.Language, o.message.Lifetime = n.url(o.ref.channel, text.Path), r.Language, lifetime
	return o, true, nil
}

// wants reports whether events of a type are still chosen for a channel and permitted.
func (n *Notify) wants(r *recipient, kind outbox.Type, channel Channel) bool {
	return n.channelsOf(&r.Member, kind).has(channel)
}

// claimDigest marks all due notifications as being sent, and returns the text of their digest.
func (n *Notify) claimDigest(tx *db.Tx, set *Settings, r *recipient, due []notificationRow, o *outgoing) (text *Text, err error) {
	counts, err := countDue(tx, o.ref.key)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(counts, func(kind outbox.Type, _ int) bool { return !n.wants(r, kind, o.ref.channel) })
	if len(counts) > 0 {
		text = set.Texts.Digest(counts, r.Language)
	}
	o.message.ID = "digest_" + due[len(due)-1].id
	o.claim, err = claim(tx, queue.IsDue+` AND target = ?`, notifications.Due(tx, o.ref.key)...)
	return text, err
}

// claimFirst marks one notification as being sent, and returns its text. The error is
// [dispatch.ErrPanic] if writing the text has panicked.
func (n *Notify) claimFirst(
	ctx context.Context, tx *db.Tx, set *Settings, r *recipient, first notificationRow, o *outgoing,
) (text *Text, err error) {
	o.message.ID = "event_" + strings.ReplaceAll(first.event, " ", "_")
	if o.claim, err = claim(tx, `id = ?`, first.id); err != nil {
		return nil, err
	}
	err = dispatch.Recovered(func() (err error) {
		switch {
		case !n.wants(r, first.kind, o.ref.channel):
		case first.kind == DailySummary:
			text, err = set.Texts.Summary(tx, strings.TrimPrefix(first.event, summaryDay), r.Language, r.Permits)
		case first.kind == WeeklySummary:
			text, err = set.Texts.Weekly(ctx, tx, r.Language, r.Permits)
		default:
			text, err = eventText(tx, set.Texts, first.event, r)
		}
		return err
	})
	return text, err
}

// eventText returns the text of an event by its number for a recipient; nil if there is nothing to
// report.
func eventText(tx *db.Tx, texts Texts, number string, to *recipient) (*Text, error) {
	seq, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil, nil
	}
	event, err := outbox.Find(tx, seq)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return texts.Event(tx, event, to.Language, to.Permits)
}

// resolve returns the member of a target and the data for sending; nil if it is gone.
func (n *Notify) resolve(tx *db.Tx, to targetRef) (*recipient, Target, error) {
	recipients, cfg, err := n.findRecipients(tx)
	if err != nil {
		return nil, Target{}, err
	}
	for i := range recipients {
		r := &recipients[i]
		if r.ID != to.staffID {
			continue
		}
		target, ok, err := n.targetOf(tx, r, to, cfg)
		if err != nil {
			return nil, Target{}, err
		}
		if !ok {
			return nil, Target{}, nil
		}
		return r, target, nil
	}
	return nil, Target{}, nil
}

// targetOf returns the data for sending to a member's target, and whether it exists.
func (n *Notify) targetOf(tx *db.Tx, r *recipient, to targetRef, cfg *channelConfig) (t Target, ok bool, err error) {
	switch to.channel {
	case Push:
		for _, d := range r.devices {
			if d.id == to.device {
				key, err := n.cfg.Secrets.Find(tx, pushSecret)
				if errors.Is(err, db.ErrNotFound) {
					return t, false, nil
				}
				return Target{d.endpoint, d.publicKey, d.auth, key}, true, err
			}
		}
	case Telegram:
		return Target{Address: r.chat, Credential: []byte(cfg.Token)}, r.chat != "" && cfg.Token != "", nil
	case SMS:
		return Target{Address: r.Phone}, r.Phone != "" && cfg.SMS, nil
	case Email:
		return Target{Address: r.Email}, r.Email != "", nil
	}
	return t, false, nil
}

// record records the result of an attempt, unless another server repeats it by now.
func (n *Notify) record(tx *db.Tx, o *outgoing, result error) error {
	if err := n.recordTarget(tx, o.ref, o.message.To, result); err != nil {
		return err
	}
	if result == nil {
		return o.end(tx, StatusSent, "")
	}
	e, ok := errors.AsType[*Error](result)
	if !ok {
		e = &Error{Err: result}
	}
	due := notifications.Retry(tx.Now(), o.attempts, e.RetryAfter)
	if e.Gone || e.Refused || e.Unknown || due == nil {
		return o.end(tx, StatusFailed, fault.Reason(e))
	}
	return o.release(tx, StatusWaiting, due, fault.Reason(e))
}

// recordTarget records the result of an attempt at its target, and deletes a target that is gone.
func (n *Notify) recordTarget(tx *db.Tx, ref targetRef, to Target, result error) error {
	e, failed := errors.AsType[*Error](result)
	switch {
	case ref.channel == Push && failed && e.Gone:
		return deleteDevice(tx, ref.device)
	case ref.channel == Push && result == nil:
		return updateDeviceUsed(tx, ref.device)
	case ref.channel == Push:
		return updateDeviceFailing(tx, ref.device, fault.Reason(result), failed && e.Refused)
	case ref.channel == Telegram && failed && e.Gone:
		return unlinkChat(tx, ref.staffID, to.Address)
	}
	return nil
}
