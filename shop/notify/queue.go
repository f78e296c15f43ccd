package notify

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"time"

	"storefront/db"
	"storefront/shop/outbox"
	"storefront/shop/queue"
)

// consumer is the name of the package's cursor in the outbox.
const consumer = outbox.Notifications

const (
	eventBatch = 100
	// maxAge is the age from which an event is no longer reported, for example after a server's
	// outage.
	maxAge = 24 * time.Hour
	// Retention is the time for which sent notifications are stored, so that none is sent again.
	Retention = 7 * 24 * time.Hour
	// summaryHour is the hour of the daily summary, in the shop's time zone.
	summaryHour = 21
	// weeklyHour is the hour of the weekly summary, on Sundays.
	weeklyHour = 9
)

// Status is the status of a notification.
type Status string

// The statuses. The ones after sending are final.
const (
	StatusWaiting Status = "waiting" // not sent yet, or to be sent again
	StatusSent    Status = "sent"
	StatusFailed  Status = "failed"
	StatusSkipped Status = "skipped" // too late, or over a limit
)

// targetRef identifies a target, without the data for sending.
type targetRef struct {
	key     string // of the queue
	staffID string
	channel Channel
	device  string // of a push device
	host    string // the recipient
}

func deviceKey(id string) string { return string(Push) + ":" + id }

func memberKey(channel Channel, staffID string) string { return string(channel) + ":" + staffID }

// recipient is a member with their targets.
type recipient struct {
	Member
	quiet   quietHours
	devices []deviceRow
	chat    string // of Telegram; "" if there is none
}

// targets returns the targets of a channel.
func (r *recipient) targets(channel Channel, c *channelConfig) (refs []targetRef) {
	one := func(host string) []targetRef {
		return []targetRef{{key: memberKey(channel, r.ID), staffID: r.ID, channel: channel, host: host}}
	}
	switch channel {
	case Push:
		for _, d := range r.devices {
			refs = append(refs, targetRef{deviceKey(d.id), r.ID, Push, d.id, hostOf(d.endpoint)})
		}
	case Telegram:
		if r.chat != "" && c.Token != "" {
			return one("telegram")
		}
	case SMS:
		if r.Phone != "" && c.SMS {
			return one("sms of a shop")
		}
	case Email:
		if r.Email != "" {
			return one("mail of a shop")
		}
	}
	return refs
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// isReachable reports whether the member has a target for any type of event.
func (n *Notify) isReachable(r *recipient, c *channelConfig) bool {
	for _, rule := range eventRules {
		channels := n.channelsOf(&r.Member, rule.kind)
		for _, channel := range allChannels() {
			if channels.has(channel) && len(r.targets(channel, c)) > 0 {
				return true
			}
		}
	}
	return false
}

// findRecipients returns the members who can be reached.
func (n *Notify) findRecipients(tx *db.Tx) ([]recipient, *channelConfig, error) {
	cfg, err := n.channelConfig(tx)
	if err != nil {
		return nil, nil, err
	}
	members, err := n.cfg.Members.Active(tx)
	if err != nil {
		return nil, nil, err
	}
	devices, err := findDevices(tx)
	if err != nil {
		return nil, nil, err
	}
	own, err := findAllPreferences(tx)
	if err != nil {
		return nil, nil, err
	}
	var list []recipient
	for _, m := range members {
		r := recipient{Member: m, devices: devices[m.ID], quiet: own[m.ID].quiet, chat: own[m.ID].chat}
		if n.isReachable(&r, cfg) {
			list = append(list, r)
		}
	}
	return list, cfg, nil
}

// Continue queues the notifications of new events, starts sending due ones, and returns the time at
// which the next one is due; a zero time means that none waits. It does not wait for the sending.
func (n *Notify) Continue(ctx context.Context) (next time.Time, err error) {
	set, err := n.cfg.Settings(ctx)
	if err != nil {
		return time.Time{}, err
	}
	zone := set.Zone
	w, err := n.findWork(ctx, zone)
	if err != nil {
		return time.Time{}, err
	}
	if w.reachable != w.hasCursor {
		if err := n.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return n.setConsuming(tx, w.reachable) }); err != nil {
			return time.Time{}, err
		}
	}
	var held time.Time
	for w.pending && err == nil {
		err = n.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			w.pending, held, err = n.queueEvents(tx, zone)
			return err
		})
	}
	if err == nil && !w.summary.IsZero() && !w.summary.After(n.cfg.Now()) {
		err = n.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			w.summary, err = n.queueSummaries(tx, zone)
			return err
		})
	}
	if err != nil {
		return time.Time{}, err
	}
	var due []targetRef
	err = n.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		due, next, err = findDueTargets(tx)
		return err
	})
	for _, to := range due {
		n.cfg.Runner.Start(n.queueOf(to))
	}
	return queue.Earlier(queue.Earlier(next, held), w.summary), err
}

// work is the pending work of [Notify.Continue].
type work struct {
	hasCursor bool      // the package is a consumer of the outbox
	pending   bool      // there are events after the cursor
	reachable bool      // somebody can be notified
	summary   time.Time // time of the next summary; zero if nobody has chosen one
}

func (n *Notify) findWork(ctx context.Context, zone *time.Location) (w work, err error) {
	err = n.cfg.Data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		w = work{}
		cursor, err := outbox.Cursor(tx, consumer)
		if w.hasCursor = !errors.Is(err, db.ErrNotFound); w.hasCursor && err != nil {
			return err
		}
		if !w.hasCursor { // most shops: nobody has made a choice
			any, err := hasPreferences(tx)
			if err != nil {
				return err
			}
			if !any {
				return nil
			}
		}
		last, err := outbox.Last(tx)
		if err != nil {
			return err
		}
		w.pending = w.hasCursor && last > cursor
		recipients, _, err := n.findRecipients(tx)
		if err != nil {
			return err
		}
		w.reachable = len(recipients) > 0
		w.summary, err = n.nextSummary(tx, recipients, zone)
		return err
	})
	return w, err
}

// setConsuming makes the package a consumer of the outbox from now on, or ends that, so that events
// do not wait without need.
func (n *Notify) setConsuming(tx *db.Tx, on bool) error {
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

// queueEvents queues the notifications of a batch of events, and reports whether there are more.
// held is the time until which the next one is held.
func (n *Notify) queueEvents(tx *db.Tx, zone *time.Location) (more bool, held time.Time, err error) {
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
	recipients, cfg, err := n.findRecipients(tx)
	if err != nil {
		return false, held, err
	}
	for i := range events {
		event := &events[i]
		if event.Withdrawn || findRule(event.Type) == nil || tx.Now().Sub(event.At) > maxAge {
			continue
		}
		for j := range recipients {
			r := &recipients[j]
			if isOwn(event, r.ID) {
				continue
			}
			if err := n.queue(tx, r, cfg, event.Type, strconv.FormatInt(event.Seq, 10), event.At, zone); err != nil {
				return false, held, err
			}
		}
	}
	return len(events) == eventBatch, held, outbox.Advance(tx, consumer, events[len(events)-1].Seq)
}

// queue queues the notifications of an event to a member, once for each target.
func (n *Notify) queue(
	tx *db.Tx, r *recipient, cfg *channelConfig, kind outbox.Type, event string, at time.Time, zone *time.Location,
) error {
	channels := n.channelsOf(&r.Member, kind)
	due := r.quiet.after(tx.Now(), zone)
	for _, channel := range allChannels() {
		if !channels.has(channel) {
			continue
		}
		for _, to := range r.targets(channel, cfg) {
			if err := insertNotification(tx, n.cfg.IDs.Next(tx.Now()), to, kind, event, at, due); err != nil {
				return err
			}
		}
	}
	return nil
}

// summaryRule is a summary that is sent at fixed times.
type summaryRule struct {
	kind outbox.Type
	// prefix precedes the day of a summary in place of the number of an event, such as "day
	// 2026-03-01".
	prefix string
	// counter has the last day with queued summaries, such as 20260301.
	counter string
	every   int           // days
	late    time.Duration // after which it is no longer sent; 0 means never
	// at returns the time at which it is due in the period of local.
	at func(local time.Time) time.Time
}

// summaryDay is the prefix of daily summaries.
const summaryDay = "day "

var summaryRules = []summaryRule{
	{kind: DailySummary, prefix: summaryDay, counter: "notified_day", every: 1, at: func(local time.Time) time.Time {
		return time.Date(local.Year(), local.Month(), local.Day(), summaryHour, 0, 0, 0, local.Location())
	}},
	{kind: WeeklySummary, prefix: "week ", counter: "notified_week", every: 7, late: 24 * time.Hour, at: func(local time.Time) time.Time {
		sunday := local.Day() - int(local.Weekday())
		return time.Date(local.Year(), local.Month(), sunday, weeklyHour, 0, 0, 0, local.Location())
	}},
}

func dayNumber(at time.Time) int64 {
	return int64(at.Year())*10_000 + int64(at.Month())*100 + int64(at.Day())
}

// next returns the time of the next summary.
func (s *summaryRule) next(tx *db.Tx, zone *time.Location) (time.Time, error) {
	local := tx.Now().In(zone)
	at := s.at(local)
	last, err := findCounter(tx, s.counter)
	if err != nil {
		return time.Time{}, err
	}
	if last >= dayNumber(at) || s.late > 0 && tx.Now().Sub(at) > s.late {
		at = s.at(local.AddDate(0, 0, s.every))
	}
	return at, nil
}

// nextSummary returns the time of the next summary that somebody has chosen; zero if there is none.
func (n *Notify) nextSummary(
	tx *db.Tx, recipients []recipient, zone *time.Location,
) (next time.Time, err error) {
	for i := range summaryRules {
		rule := &summaryRules[i]
		if !slices.ContainsFunc(recipients, func(r recipient) bool { return n.channelsOf(&r.Member, rule.kind) != (Channels{}) }) {
			continue
		}
		at, err := rule.next(tx, zone)
		if err != nil {
			return time.Time{}, err
		}
		next = queue.Earlier(next, at)
	}
	return next, nil
}

// queueSummaries queues the summaries that are due, and returns the time of the next one.
func (n *Notify) queueSummaries(tx *db.Tx, zone *time.Location) (next time.Time, err error) {
	recipients, cfg, err := n.findRecipients(tx)
	if err != nil {
		return time.Time{}, err
	}
	for i := range summaryRules {
		rule := &summaryRules[i]
		at, err := rule.next(tx, zone)
		if err != nil {
			return time.Time{}, err
		}
		if at.After(tx.Now()) {
			continue
		}
		for j := range recipients {
			if err := n.queue(tx, &recipients[j], cfg, rule.kind, rule.prefix+at.Format(time.DateOnly), tx.Now(), zone); err != nil {
				return time.Time{}, err
			}
		}
		if err := saveCounter(tx, rule.counter, dayNumber(at)); err != nil {
			return time.Time{}, err
		}
	}
	return n.nextSummary(tx, recipients, zone)
}

// Purge deletes notifications that are older than [Retention], browsers that have refused every
// push message for a long time, and browsers with ended sessions. It returns a zero time: it runs
// with the other purges.
func (n *Notify) Purge(ctx context.Context) (next time.Time, err error) {
	err = n.cfg.Data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		return deleteLostDevices(tx, tx.Now().Add(-maxFailing))
	})
	if err != nil {
		return time.Time{}, err
	}
	_, err = notifications.Purge(ctx, n.cfg.Data)
	return time.Time{}, err
}

// AccessTables returns the tables with members' devices and their pending notifications.
func AccessTables() []string { return []string{"push_devices", "notifications"} }
