package queue_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/endpoint"
	"storefront/shop/queue"
	"storefront/shop/shoptest"
)

// table is a queue in a table of webhooks.
var table = queue.Table{
	Name: "webhook_deliveries", ClaimTime: time.Minute, Delays: []time.Duration{time.Second, time.Hour},
	MaxRetryAfter: 2 * time.Hour,
	Key:           "id", Age: "at", Done: "due_at IS NULL", Retention: 24 * time.Hour, Batch: 10,
}

// kit is a shop with rows in the table.
type kit struct {
	*shoptest.Accounts
	t *testing.T
}

// newKit returns a shop with a number of due rows, "1", "2" and so on.
func newKit(t *testing.T, rows int) *kit {
	t.Helper()
	k := &kit{shoptest.NewAccounts(t), t}
	in := endpoint.Input{URL: "https://example.com/"}
	to, _, err := k.Endpoints.CreateEndpoint(t.Context(), access.Operator(), in)
	if err != nil {
		t.Fatal(err)
	}
	now := k.Clock.Now()
	k.do(func(tx *db.Tx) error {
		for i := range rows {
			err := tx.Do(`
				INSERT INTO webhook_deliveries (id, endpoint_id, seq, type, at, status, attempts, due_at, answer)
				VALUES (?, ?, ?, 'order.placed', ?, 'waiting', 0, ?, '')`,
				fmt.Sprint(i+1), to.ID, i+1, db.Millis(now), db.Millis(now))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return k
}

func (k *kit) do(fn func(tx *db.Tx) error) {
	k.t.Helper()
	run := func(_ context.Context, tx *db.Tx) error { return fn(tx) }
	if err := k.Store.Update(k.t.Context(), k.Config.ID, run); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kit) claim(id string) (c queue.Claim) {
	k.t.Helper()
	k.do(func(tx *db.Tx) (err error) {
		c, err = table.Claim(tx, ", attempts = attempts + 1", "id = ?", id)
		return err
	})
	return c
}

// record records the result of an attempt, and reports whether its claim was held.
func (k *kit) record(c queue.Claim, status string) (held bool) {
	k.t.Helper()
	k.do(func(tx *db.Tx) (err error) {
		held, err = table.Release(tx, c, ", status = ?, due_at = NULL", status)
		return err
	})
	return held
}

// want checks the number of rows that may be claimed, and the time until another one may.
func (k *kit) want(what string, due int, wait time.Duration) {
	k.t.Helper()
	got, next := 0, time.Time{}
	k.do(func(tx *db.Tx) (err error) {
		query := `SELECT COUNT(*) FROM webhook_deliveries WHERE ` + queue.IsDue
		if err := tx.QueryRow(query, table.Due(tx)...).Scan(&got); err != nil {
			return err
		}
		next, err = table.Next(tx, tx.Now())
		return err
	})
	if got != due {
		k.t.Errorf("%s: got %d due rows, want %d", what, got, due)
	}
	if isNone := wait == 0; next.IsZero() != isNone || !isNone && !next.Equal(k.Clock.Now().Add(wait)) {
		k.t.Errorf("%s: got the next at %s, want after %s", what, next, wait)
	}
}

// A row is worked on once at a time. After a crash between claim and result it is due again, once
// the claim has ended.
func TestTable_Crash(t *testing.T) {
	t.Parallel()
	k := newKit(t, 2)
	k.want("at first", 2, 0)
	k.claim("1")
	k.want("claimed", 1, time.Minute)
	k.Clock.Advance(time.Minute - time.Millisecond)
	k.want("claimed for almost a minute", 1, time.Millisecond)
	k.Clock.Advance(time.Millisecond)
	k.want("the claim ended", 2, 0)
	if !k.record(k.claim("1"), "sent") {
		t.Error("got a lost claim, want the second attempt recorded")
	}
	k.want("recorded", 1, 0)
}

// A result whose claim another server has by now changes nothing, before and after the other's.
func TestTable_LateResult(t *testing.T) {
	t.Parallel()
	k := newKit(t, 1)
	late := k.claim("1")
	k.Clock.Advance(time.Minute)
	other := k.claim("1")
	if k.record(late, "failed") {
		t.Error("got the late result recorded during the other's attempt")
	}
	k.want("the other's claim", 0, time.Minute)
	if !k.record(other, "sent") || k.record(late, "failed") {
		t.Error("got the other's result lost, or the late one recorded after it")
	}
	const sent = `SELECT COUNT(*) FROM webhook_deliveries WHERE status = 'sent' AND attempts = 2`
	if k.Number(t, sent) != 1 {
		t.Error("got another result, want sent")
	}
	k.do(func(tx *db.Tx) error {
		if held, err := table.Renew(tx, late); err != nil || held {
			t.Errorf("got the late claim renewed: %t, %v", held, err)
		}
		return nil
	})
}

// A claim that ended late is still recorded if nobody else works on the row.
func TestTable_SlowResult(t *testing.T) {
	t.Parallel()
	k := newKit(t, 1)
	slow := k.claim("1")
	k.Clock.Advance(time.Hour)
	if !k.record(slow, "sent") {
		t.Error("got the result lost")
	}
	k.want("recorded", 0, 0)
}

// A claim of a server whose clock is ahead is respected. After a clock was set back by more, a row
// does not wait for it.
func TestTable_OtherClock(t *testing.T) {
	t.Parallel()
	for ahead, wait := range map[time.Duration]time.Duration{
		time.Second: time.Minute + time.Second, time.Minute: 2 * time.Minute, time.Hour: 0,
	} {
		k := newKit(t, 1)
		k.Clock.Advance(ahead)
		k.claim("1")
		k.Clock.Advance(-ahead)
		k.want(ahead.String()+" ahead", map[bool]int{true: 1}[wait == 0], wait)
	}
}

// An interrupted row that must not be attempted twice ends, and one being attempted does not.
func TestTable_EndInterrupted(t *testing.T) {
	t.Parallel()
	k := newKit(t, 3)
	k.claim("1")
	k.Clock.Advance(time.Minute)
	k.claim("2")
	k.do(func(tx *db.Tx) error {
		n, err := table.EndInterrupted(tx, ", status = ?", "attempts = ?", "failed", 1)
		if n != 1 {
			t.Errorf("got %d rows ended, want one", n)
		}
		return err
	})
	k.want("ended", 1, time.Minute)
	if n := k.Number(t, `SELECT COUNT(*) FROM webhook_deliveries WHERE id = '1' AND status = 'failed'`); n != 1 {
		t.Error("got the interrupted one unchanged")
	}
}

// Delays grow, a service may request longer ones up to a limit, and attempts end.
func TestTable_Retry(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for _, c := range []struct {
		failed    int
		requested time.Duration
		want      time.Duration
	}{
		{1, 0, time.Second},
		{1, time.Minute, time.Minute},
		{1, 72 * time.Hour, 2 * time.Hour},
		{2, time.Minute, time.Hour},
	} {
		if got := table.Retry(now, c.failed, c.requested); got == nil || got.Sub(now) != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
	if got := table.Retry(now, 3, time.Minute); got != nil {
		t.Errorf("got %v after the last attempt, want none", got)
	}
	varied := table
	varied.Jitter = 0.1
	delays := map[time.Duration]bool{}
	for range 100 {
		delay := varied.Retry(now, 2, 0).Sub(now)
		if delays[delay] = true; delay < 54*time.Minute || delay > 66*time.Minute {
			t.Errorf("got a delay of %s, want an hour ± 10 %%", delay)
		}
	}
	if len(delays) < 50 {
		t.Errorf("got %d different delays of 100", len(delays))
	}
}

// Old rows are deleted in batches, but none that is due.
func TestTable_Purge(t *testing.T) {
	t.Parallel()
	k := newKit(t, 35)
	k.Exec(t, `UPDATE webhook_deliveries SET due_at = NULL WHERE id <> '1'`)
	in := access.Data{Store: k.Store, ID: k.Config.ID}
	created := k.Clock.Now()
	for _, c := range []struct {
		by   time.Duration
		want int64
		next time.Time
	}{{0, 35, created.Add(24 * time.Hour)}, {24*time.Hour + 1e6, 1, time.Time{}}} {
		k.Clock.Advance(c.by)
		next, err := table.Purge(t.Context(), in)
		if err != nil || !next.Equal(c.next) {
			t.Errorf("got the next at %s, %v, want %s", next, err, c.next)
		}
		if got := k.Number(t, `SELECT COUNT(*) FROM webhook_deliveries`); got != c.want {
			t.Errorf("after %s: got %d rows, want %d", c.by, got, c.want)
		}
	}
}

// Claims, results and the next time take the same work however many rows wait.
func TestTable_Growth(t *testing.T) {
	t.Parallel()
	dbtest.NeedFiles(t, "the test counts the steps of SQLite")
	var steps [2]int64
	for i, rows := range []int{1_000, 4_000} {
		k := newKit(t, rows)
		work := func() {
			c := k.claim("7")
			k.do(func(tx *db.Tx) error {
				if _, err := table.EndInterrupted(tx, "", "attempts = 0"); err != nil {
					return err
				}
				if _, err := table.Renew(tx, c); err != nil {
					return err
				}
				if _, err := table.NextEnd(tx); err != nil {
					return err
				}
				_, err := table.NextDue(tx, time.Time{}, "endpoint_id = (SELECT id FROM webhook_endpoints)")
				return err
			})
			k.record(c, "sent")
		}
		work()
		before := k.Files.Steps(db.ID(k.UID()))
		work()
		steps[i] = k.Files.Steps(db.ID(k.UID())) - before
	}
	if steps[1] > 2*steps[0] {
		t.Errorf("got %d steps with a quarter of the rows and %d with all, want as many", steps[0], steps[1])
	}
}
