package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/postgres"
)

// itemsExport returns an export of items that is several times longer than a COPY. A row is
// replaced.
func itemsExport(items, replaced int, by string) string {
	var b strings.Builder
	b.WriteString(`{"format":"storefront-export","schema":1,"tenant":"demo"}` + "\n" + `{"table":"items","columns":["id","stock","note"]}` + "\n")
	note := strings.Repeat(`\\.\tx`, 100)
	for n := range items {
		if n == replaced {
			b.WriteString(by + "\n")
			continue
		}
		fmt.Fprintf(&b, `["item-%06d",%d,"%s"]`+"\n", n, n, note)
	}
	return b.String() + end(items)
}

// A failure in the middle of a COPY leaves no row and no connection behind, and the import can be
// repeated.
func TestImport_FailureDuringCopy(t *testing.T) {
	t.Parallel()
	const items, middle = 10_000, 5_000
	c := dbtest.NewCluster(t)
	// The failures below are more than its connections for writers.
	s, err := open(t, c.Address("postgres"), postgres.Options{Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	whole := itemsExport(items, -1, "")
	const waits = `application_name = 'storefront' AND query LIKE 'COPY%' AND wait_event_type = 'Lock'`
	// blocked runs fn while a COPY waits for another transaction, and returns the import's error.
	blocked := func(fn func(cancel func())) error {
		const pause = "SELECT pg_sleep(100000)"
		number := c.SQL(`SELECT nextval(pg_get_serial_sequence('storefront.shops', 'number')) + 1`) // of the next shop
		other := exec.Command("psql", c.Address("postgres"), "-Xc",
			fmt.Sprintf(`BEGIN; INSERT INTO storefront.items (shop, id, stock) VALUES (%s, 'item-%06d', 1); %s`, number, middle, pause))
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		end := func() {
			c.SQL(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)
			_ = other.Wait()
		}
		defer end()
		dbtest.Eventually(t, "the other transaction has its row", func() bool {
			return c.SQL(`SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`) == "1"
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- s.Import(ctx, dbtest.Shop, strings.NewReader(whole), nil) }()
		dbtest.Eventually(t, "the COPY waits", func() bool { return c.SQL(`SELECT count(*) FROM pg_stat_activity WHERE `+waits) == "1" })
		fn(cancel)
		return <-done
	}
	errDisk := errors.New("the disk is gone")
	for name, test := range map[string]struct {
		run  func() error
		want error
	}{
		"constraint": {func() error {
			return s.Import(t.Context(), dbtest.Shop, strings.NewReader(itemsExport(items, middle, `["item",-1,null]`)), nil)
		}, db.ErrCheck},
		"twice, in two COPYs": {func() error {
			return s.Import(t.Context(), dbtest.Shop, strings.NewReader(itemsExport(items, items-1, `["item-000000",1,null]`)), nil)
		}, db.ErrUnique},
		"text that cannot be stored": {func() error {
			return s.Import(t.Context(), dbtest.Shop, strings.NewReader(itemsExport(items, middle, `["a\u0000b",1,null]`)), nil)
		}, db.ErrConstraint},
		"source": {func() error {
			r := io.MultiReader(strings.NewReader(whole[:len(whole)/2]), failingReader{errDisk})
			return s.Import(t.Context(), dbtest.Shop, r, nil)
		}, errDisk},
		"cancelled": {func() error {
			return blocked(func(cancel func()) { cancel() })
		}, db.ErrInterrupted},
		"lost connection": {func() error {
			return blocked(func(func()) { c.SQL(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ` + waits) })
		}, db.ErrConnection},
	} {
		if err := test.run(); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
		dbtest.Eventually(t, name+": no connection is in a transaction", func() bool {
			return c.SQL(`SELECT count(*) FROM pg_stat_activity WHERE application_name = 'storefront' AND state <> 'idle'`) == "0"
		})
		if rows := c.SQL(`SELECT (SELECT count(*) FROM storefront.items) + (SELECT count(*) FROM storefront.shops)`); rows != "0" {
			t.Errorf("%s: got %s rows in the database, want none", name, rows)
		}
	}
	if err := s.Import(t.Context(), dbtest.Shop, strings.NewReader(whole), nil); err != nil {
		t.Fatalf("import after the failures: %v", err)
	}
	var again bytes.Buffer
	if err := s.Export(t.Context(), dbtest.Shop, &again); err != nil || !strings.HasPrefix(again.String(), strings.TrimSuffix(whole, end(items))) {
		t.Errorf("export: got %v, %d bytes, want the %d that were imported", err, again.Len(), len(whole))
	}
}

// end returns the last line of an export.
func end(rows int) string { return fmt.Sprintf(`{"end":true,"rows":%d}`+"\n", rows) }

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }
