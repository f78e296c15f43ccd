package postgres_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/postgres"
)

// Two schema steps.
var (
	addTime = db.Step{
		Name:     "orders have a time",
		Postgres: `ALTER TABLE orders ADD COLUMN placed_at bigint NOT NULL DEFAULT 0`,
	}
	addPlace = db.Step{
		Name:     "items have a place",
		Postgres: `ALTER TABLE items ADD COLUMN place text COLLATE "C"`,
	}
)

// Steps that fail, or whose program is killed in the middle, leave the tables as they were: the
// running program of the older version continues to sell until steps succeed.
func TestInstall_Steps(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	old := mustOpen(t, c.Address("postgres"))
	dbtest.Create(t, old, dbtest.Shop)
	wait := func(what, query string) {
		t.Helper()
		dbtest.Eventually(t, what, func() bool { return c.SQL(query) != "" })
	}
	upgrade := func(second db.Step) (*db.Store, error) {
		return open(t, c.Address("postgres"), postgres.Options{Steps: []db.Step{addTime, second}})
	}
	for i, bad := range []db.Step{
		{Name: "bad", Postgres: `UPDATE items SET stock = 1; ALTER TABLE nothing ADD COLUMN a text`},
		{Name: "for files alone", SQL: `SELECT 1`},
	} {
		if _, err := upgrade(bad); !errors.Is(err, db.ErrUpgrade) {
			t.Errorf("step %q: got %v, want ErrUpgrade", bad.Name, err)
		}
		dbtest.Update(t, old, dbtest.Shop, dbtest.AddOrder(int64(i)))
	}

	// The second step waits for another session's lock when the connection ends.
	lock := exec.Command("psql", c.Address("postgres"), "-c",
		"BEGIN; LOCK TABLE storefront.items; SELECT pg_sleep(600)")
	if err := lock.Start(); err != nil {
		t.Fatal(err)
	}
	wait("the lock is held", `
		SELECT 1
		FROM pg_locks
		WHERE relation = 'storefront.items'::regclass AND mode = 'AccessExclusiveLock' AND granted`)
	const terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
	killed := make(chan error, 1)
	go func() {
		_, err := upgrade(addPlace)
		killed <- err
	}()
	wait("the second step waits and its connection ends",
		terminate+"wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE items%'")
	if err := <-killed; err == nil {
		t.Error("killed: got no error")
	}
	wait("the lock ends",
		terminate+"query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()")
	_ = lock.Wait() // its connection has ended
	dbtest.Update(t, old, dbtest.Shop, dbtest.AddOrder(10))

	newer, err := upgrade(addPlace)
	if err != nil {
		t.Fatal(err)
	}
	dbtest.WantOrders(t, newer, dbtest.Shop, 0, 1, 10)
	err = old.Update(t.Context(), dbtest.Shop, dbtest.AddOrder(11))
	if !errors.Is(err, db.ErrNewer) {
		t.Errorf("the older program: got %v, want ErrNewer", err)
	}
	_, err = open(t, c.Address("postgres"), postgres.Options{})
	if !errors.Is(err, db.ErrNewer) || !strings.Contains(err.Error(), "start that version") {
		t.Errorf("the older program, restarted: got %v, want ErrNewer with what to do", err)
	}
}
