package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
)

// The process that copies a shop is killed at any moment. A server completes the copy if its job
// was stored: it is whole, there once, and nothing is left of the interrupted one.
func TestShopJob_Killed(t *testing.T) {
	onlyWithAll(t)
	dbtest.NeedFiles(t, "the test reads the installation's file")
	t.Parallel()
	data := demoData(t)
	products := func(uid db.ID) (n int) {
		inShop(t, data, uid, func(tx *db.Tx) error { return tx.QueryRow(`SELECT COUNT(*) FROM products`).Scan(&n) })
		return n
	}
	run(t, "operator", "create", "Shaila", "--user", "shaila@agency.example", "--data", data)
	copies := 0
	for n := range 12 {
		cmd := storefront(t, "api", "installation", "copyShop", "--shop", "demo", "--uid", fmt.Sprintf("copy-%02d", n), "--data", data)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(n) * 25 * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	p := serve(t, "--data", data, "--rate", "0")
	dbtest.Eventually(t, "every job has ended", func() bool {
		open := 0
		inShop(t, data, "installation", func(tx *db.Tx) error {
			if err := tx.QueryRow(`SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL`).Scan(&open); err != nil {
				return err
			}
			return tx.QueryRow(`SELECT COUNT(*) FROM jobs WHERE done = 1`).Scan(&copies)
		})
		return open == 0
	})
	p.stop()
	var list struct {
		Nodes []struct{ UID db.ID }
	}
	if err := json.Unmarshal([]byte(run(t, "api", "installation", "listShops", "--json", "--data", data)), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Nodes) != 1+copies {
		t.Errorf("got %d shops, want the first and %d copies", len(list.Nodes), copies)
	}
	for _, shop := range list.Nodes {
		if got, want := products(shop.UID), products("demo"); got != want {
			t.Errorf("%s: got %d products, want %d", shop.UID, got, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(data, "restoring", ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	t.Logf("%d of 12 copies", copies)
}

// The process that restores a shop is killed at any moment. A server completes the restore if its
// job was stored, once: the shop is the one before or the one of the backup.
func TestRestoreJob_Killed(t *testing.T) {
	onlyWithAll(t)
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	data, backups := demoData(t), t.TempDir()
	run(t, "operator", "create", "Shaila", "--user", "shaila@agency.example", "--data", data)
	var made struct{ Backups []struct{ File string } }
	if err := json.Unmarshal([]byte(run(t, "backup", "demo", backups, "--json", "--data", data)), &made); err != nil {
		t.Fatal(err)
	}
	serve(t, "--data", data, "--backup-dir", backups).stop() // its record has the folder
	count := func(uid db.ID, query string) (n int) {
		inShop(t, data, uid, func(tx *db.Tx) error { return tx.QueryRow(query).Scan(&n) })
		return n
	}
	const products = `SELECT COUNT(*) FROM products`
	before := count("demo", products)
	restored := 0
	for n := range 12 {
		run(t, "api", "demo", "createProduct", "--title", fmt.Sprint("Later ", n), "--variants", `[{"price": 100}]`, "--data", data)
		changed := count("demo", products)
		cmd := storefront(t, "api", "installation", "restoreShop", "--shop", "demo", "--file", made.Backups[0].File,
			"--reason", "Deleted by mistake", "--data", data)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(n) * 25 * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if got := count("demo", products); got != before && got != changed {
			t.Fatalf("killed after %d ms: got %d products, want %d or %d", n*25, got, before, changed)
		}
		p := serve(t, "--data", data, "--rate", "0", "--backup-dir", backups)
		dbtest.Eventually(t, "every job has ended", func() bool {
			return count("installation", `SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL`) == 0
		})
		p.stop()
		done := count("installation", `SELECT COUNT(*) FROM jobs WHERE done = 1`)
		want := changed
		if done > restored {
			want = before
		}
		if got := count("demo", products); got != want {
			t.Errorf("killed after %d ms: got %d products, want %d", n*25, got, want)
		}
		restored = done
		if failed := count("installation", `SELECT COUNT(*) FROM jobs WHERE failed > 0`); failed > 0 {
			t.Errorf("killed after %d ms: got %d failed jobs", n*25, failed)
		}
	}
	t.Logf("%d of 12 restores", restored)
}

// The process that changes many shops is killed at any moment. Each shop is as before or as
// requested, and a repetition changes the others.
func TestChangeShops_Killed(t *testing.T) {
	onlyWithAll(t)
	dbtest.NeedFiles(t, "the processes have one data folder")
	t.Parallel()
	data := demoData(t)
	rows, uids := "uid,name\n", []string{}
	for n := range 40 {
		uids = append(uids, fmt.Sprintf("shop-%02d", n))
		rows += fmt.Sprintf("%s,Shop %02d\n", uids[n], n)
	}
	file := filepath.Join(t.TempDir(), "shops.csv")
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "tenant", "create", "--from", file, "--data", data)
	run(t, "operator", "create", "Shaila", "--user", "shaila@agency.example", "--data", data)
	run(t, "plan", "set", "basic", "--products", "20", "--data", data)
	type state struct{ State, Plan string }
	states := func() map[string]state {
		t.Helper()
		var list struct {
			Nodes []struct {
				UID string
				state
			}
		}
		out := run(t, "api", "installation", "listShops", "--search", "shop-", "--limit", "100", "--json", "--data", data)
		if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Nodes) != len(uids) {
			t.Fatalf("got %d shops, %v, want %d", len(list.Nodes), err, len(uids))
		}
		found := map[string]state{}
		for _, shop := range list.Nodes {
			found[shop.UID] = shop.state
		}
		return found
	}
	before := state{State: "open"}
	for _, c := range []struct {
		action string
		input  map[string]any
		after  state
	}{
		{"suspend", map[string]any{"reason": "Unpaid"}, state{State: "suspended"}},
		{"resume", map[string]any{}, state{State: "open"}},
		{"plan", map[string]any{"plan": "basic"}, state{State: "open", Plan: "basic"}},
	} {
		c.input["action"], c.input["shops"] = c.action, uids
		input, err := json.Marshal(c.input)
		if err != nil {
			t.Fatal(err)
		}
		body := filepath.Join(t.TempDir(), "change.json")
		if err := os.WriteFile(body, input, 0o600); err != nil {
			t.Fatal(err)
		}
		command := []string{"api", "installation", "changeShops", "--body", body, "--data", data}
		changed := 0
		for n := range 5 {
			cmd := storefront(t, command...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(40+n*30) * time.Millisecond)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			changed = 0
			for uid, got := range states() {
				switch got {
				case c.after:
					changed++
				case before:
				default:
					t.Errorf("%s, killed: %s is %+v, want %+v or %+v", c.action, uid, got, before, c.after)
				}
			}
		}
		run(t, command...)
		for uid, got := range states() {
			if got != c.after {
				t.Errorf("%s, repeated: %s is %+v, want %+v", c.action, uid, got, c.after)
			}
		}
		t.Logf("%s: %d of %d shops changed before the last one was killed", c.action, changed, len(uids))
		before = c.after
	}
}
