package notify_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/dispatch"
	"storefront/shop/notify"
	"storefront/shop/outbox"
	"storefront/shop/sequence"
	"storefront/shop/shoptest"
)

// kit is a shop with members who are notified by e-mail.
type kit struct {
	*shoptest.Accounts
	*notify.Notify
	t       *testing.T
	members members

	mu     sync.Mutex
	sent   []string // "address: title"
	ids    []string
	answer error // to each e-mail
}

// members are all members of the shop.
type members struct {
	notify.Members
	list []notify.Member
}

func (m *members) Active(*db.Tx) ([]notify.Member, error) { return m.list, nil }

// texts are texts that consist of types.
type texts struct{ notify.Texts }

func (texts) Event(_ *db.Tx, event outbox.Event, language string, _ func(access.Permission) bool) (*notify.Text, error) {
	return &notify.Text{Title: string(event.Type) + " " + event.Subject + " " + language}, nil
}

func (texts) Digest(counts map[outbox.Type]int, _ string) *notify.Text {
	return &notify.Text{Title: strings.TrimPrefix(fmt.Sprint(counts), "map")}
}

// Notify implements [notify.Notifier].
func (k *kit) send(_ context.Context, m notify.Message) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sent, k.ids = append(k.sent, m.To.Address+": "+m.Title), append(k.ids, m.ID)
	return k.answer
}

type sender func(context.Context, notify.Message) error

func (s sender) Notify(ctx context.Context, m notify.Message) error { return s(ctx, m) }

func newKit(t *testing.T) *kit {
	t.Helper()
	k := &kit{Accounts: shoptest.NewAccounts(t), t: t}
	k.Notify, _ = k.process(k.send)
	return k
}

// process returns the notifications as a process has them, with its runner.
func (k *kit) process(send sender) (*notify.Notify, *dispatch.Runner) {
	runner := notify.NewRunner()
	k.t.Cleanup(func() { runner.Close(context.Background()) })
	return notify.New(notify.Config{
		Data: access.Data{Store: k.Store, ID: k.Config.ID, Authorize: k.Staff.Authorize},
		Now:  k.Clock.Now, IDs: sequence.NewSource(rand.Reader), Log: slog.New(slog.DiscardHandler), Runner: runner,
		IsWorking: func(context.Context) bool { return true },
		Notifiers: map[notify.Channel]notify.Notifier{
			notify.Email: send,
		}, Members: &k.members,
		Settings: func(context.Context) (*notify.Settings, error) {
			return &notify.Settings{
				Texts:    texts{},
				Zone:     time.UTC,
				Country:  "BD",
				ShopName: "Acme",
			}, nil
		},
		Visible: func(outbox.Type) access.Permission { return access.OrdersRead },
	}), runner
}

// add adds a member who is notified of types of events.
func (k *kit) add(name string, permits bool, types ...outbox.Type) (id string) {
	k.t.Helper()
	k.Member(k.t, "staff", name+"@example.com")
	k.Exec(k.t, `UPDATE staff SET notify = '{"order.paid":{"email":true}}'`)
	err := k.Store.View(
		k.t.Context(),
		k.Accounts.Config.ID,
		func(_ context.Context, tx *db.Tx) error {
			return tx.QueryRow(`SELECT id FROM staff WHERE email = ?`, name+"@example.com").
				Scan(&id)
		},
	)
	if err != nil {
		k.t.Fatal(err)
	}
	m := notify.Member{
		ID: id, Name: name, Language: "en", Email: name + "@example.com", Choices: notify.Choices{},
		Permits: func(access.Permission) bool { return permits },
	}
	for _, kind := range types {
		m.Choices[kind] = notify.Channels{Email: true}
	}
	k.members.list = append(k.members.list, m)
	k.work()
	return id
}

// happen appends events by an actor.
func (k *kit) happen(by *outbox.Actor, kind outbox.Type, subjects ...string) {
	k.t.Helper()
	err := k.Store.Update(
		k.t.Context(),
		k.Accounts.Config.ID,
		func(_ context.Context, tx *db.Tx) error {
			var events []outbox.Event
			for _, subject := range subjects {
				events = append(
					events,
					outbox.Event{Type: kind, Subject: subject, Data: outbox.Data{Actor: by}},
				)
			}
			return outbox.Append(tx, events...)
		},
	)
	if err != nil {
		k.t.Fatal(err)
	}
}

// work sends what is due, waits for its end, and returns when the next is due.
func (k *kit) work() (next time.Time) {
	k.t.Helper()
	now := k.Clock.Now().UnixMilli()
	dbtest.Eventually(k.t, "nothing is due", func() bool {
		var err error
		if next, err = k.Continue(k.t.Context()); err != nil {
			k.t.Fatal(err)
		}
		return k.Number(
			k.t,
			`SELECT COUNT(*) FROM notifications WHERE due_at <= ?`,
			now,
		) == 0
	})
	return k.next()
}

// next starts sending what is due, and returns when the next is.
func (k *kit) next() time.Time {
	k.t.Helper()
	next, err := k.Continue(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	return next
}

// want checks what was sent since the last check, in any order.
func (k *kit) want(what string, want ...string) {
	k.t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	slices.Sort(k.sent)
	if !slices.Equal(k.sent, want) {
		k.t.Errorf("%s: got %q, want %q", what, k.sent, want)
	}
	k.sent = nil
}

// An event is sent once to the members who chose it and may see it, but not to the member who
// caused it.
func TestNotify_Recipients(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.add("mina", true, outbox.OrderPaid)
	k.add("vik", false, outbox.OrderPaid)
	k.add("rina", true, outbox.OrderCancelled)
	omar := k.add("omar", true, outbox.OrderPaid)
	k.happen(nil, outbox.OrderPaid, "A")
	k.work()
	k.work()
	k.want("an event", "mina@example.com: order.paid A en", "omar@example.com: order.paid A en")
	k.happen(&outbox.Actor{Kind: string(access.ActorStaff), ID: omar}, outbox.OrderPaid, "B")
	k.work()
	k.want("an own event", "mina@example.com: order.paid B en")
}

// A failed message is sent again with the same ID after growing delays, and not for ever. A refused
// one, and one that may have been sent, are not.
func TestNotify_Failures(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.add("mina", true, outbox.OrderPaid)
	k.answer = errors.New("unreachable")
	k.happen(nil, outbox.OrderPaid, "A")
	attempts := 0
	var waited []time.Duration
	for next := k.work(); !next.IsZero(); next = k.work() {
		attempts++
		waited = append(waited, next.Sub(k.Clock.Now()))
		k.Clock.Advance(next.Sub(k.Clock.Now()))
	}
	want := []time.Duration{
		10 * time.Second,
		time.Minute,
		5 * time.Minute,
		30 * time.Minute,
		2 * time.Hour,
	}
	if !slices.Equal(waited, want) {
		t.Errorf("got delays of %v, want %v", waited, want)
	}
	if ids := slices.Compact(slices.Clone(k.ids)); len(k.ids) != 6 || len(ids) != 1 {
		t.Errorf("got attempts with the IDs %q, want six with one ID", k.ids)
	}
	k.sent = nil
	for name, answer := range map[string]notify.Error{"refused": {Refused: true}, "unknown": {Unknown: true}} {
		answer.Err = errors.New(name)
		k.answer = &answer
		k.happen(nil, outbox.OrderPaid, name)
		if next := k.work(); !next.IsZero() {
			t.Errorf("%s: got another attempt at %s, want none", name, next)
		}
		k.want(name, "mina@example.com: order.paid "+name+" en")
	}
}

// Many events to a member are sent as one message.
func TestNotify_Digest(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.add("mina", true, outbox.OrderPaid, outbox.OrderCancelled)
	k.happen(nil, outbox.OrderPaid, "A", "B", "C")
	k.happen(nil, outbox.OrderCancelled, "D")
	k.work()
	k.want("four events", "mina@example.com: [order.cancelled:1 order.paid:3]")
	k.happen(nil, outbox.OrderPaid, "E", "F", "G")
	k.work()
	k.want("three events", "mina@example.com: order.paid E en", "mina@example.com: order.paid F en",
		"mina@example.com: order.paid G en")
}

// An event of a day ago is not reported, as after an outage. Notifications are deleted after a
// week.
func TestNotify_Old(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.add("mina", true, outbox.OrderPaid)
	k.happen(nil, outbox.OrderPaid, "OLD")
	k.Clock.Advance(25 * time.Hour)
	k.happen(nil, outbox.OrderPaid, "NEW")
	k.work()
	k.want("after an outage", "mina@example.com: order.paid NEW en")
	k.Clock.Advance(notify.Retention - time.Hour)
	if _, err := k.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := k.Number(t, `SELECT COUNT(*) FROM notifications`); n != 1 {
		t.Errorf("before a week: got %d notifications, want one", n)
	}
	k.Clock.Advance(2 * time.Hour)
	if _, err := k.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := k.Number(t, `SELECT COUNT(*) FROM notifications`); n != 0 {
		t.Errorf("after a week: got %d notifications, want none", n)
	}
}

// Events in quiet hours are sent at their end.
func TestNotify_QuietHours(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	id := k.add("mina", true, outbox.OrderPaid)
	k.Exec(t, `
		INSERT INTO staff_notify (staff_id, quiet_from, quiet_until, chat, chat_name, seen)
		VALUES (?, 330, 420, '', '', 0)`, id) // 05:30 to 07:00; it is 06:00
	k.happen(nil, outbox.OrderPaid, "A")
	if next := k.work(); !next.Equal(k.Clock.Now().Add(time.Hour)) {
		t.Errorf("got the next at %s, want 07:00", next)
	}
	k.want("in quiet hours")
	k.Clock.Advance(time.Hour)
	k.work()
	k.want("at their end", "mina@example.com: order.paid A en")
}

// The failure of a server that was too slow does not replace what another one has recorded since,
// and the event is not sent a third time.
func TestNotify_LateResult(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.add("mina", true, outbox.OrderPaid)
	started, proceed := make(chan struct{}), make(chan struct{})
	slow, runner := k.process(func(context.Context, notify.Message) error {
		close(started)
		<-proceed
		return errors.New("too slow")
	})
	k.happen(nil, outbox.OrderPaid, "A")
	if _, err := slow.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-started
	if next := k.next(); !next.Equal(k.Clock.Now().Add(time.Minute)) {
		t.Errorf("got the next at %s, want the end of the claim", next)
	}
	k.want("while the attempt may be under way")
	k.Clock.Advance(time.Minute)
	k.work()
	k.want("after the claim", "mina@example.com: order.paid A en")
	close(proceed)
	runner.Close(t.Context()) // waits for the slow attempt
	if next := k.work(); !next.IsZero() {
		t.Errorf("got another attempt at %s, want none", next)
	}
	if n := k.Number(t, `SELECT COUNT(*) FROM notifications WHERE status = 'sent'`); n != 1 {
		t.Errorf("got %d notifications sent, want one", n)
	}
}
