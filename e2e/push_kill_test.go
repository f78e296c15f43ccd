package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
)

// The process that sets a plan and the defaults in 300 shops is killed at any moment. A server
// completes it: each shop has both, and none of them is left with the earlier ones.
func TestPushCopies_Killed(t *testing.T) {
	onlyWithAll(t)
	dbtest.NeedFiles(t, "the test reads the shops' files")
	t.Parallel()
	const shops = 300
	data := t.TempDir()
	list := []string{"uid,name,currency,country"}
	for n := range shops {
		list = append(list, fmt.Sprintf("shop-%03d,Shop %d,BDT,BD", n, n))
	}
	file := filepath.Join(t.TempDir(), "shops.csv")
	if err := os.WriteFile(file, []byte(strings.Join(list, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "plan", "set", "basic", "--products", "1", "--data", data)
	run(t, "tenant", "create", "--from", file, "--plan", "basic", "--data", data)
	count := func(text string) (n int) {
		t.Helper()
		for i := range shops {
			inShop(t, data, db.ID(fmt.Sprintf("shop-%03d", i)), func(tx *db.Tx) error {
				var has bool
				err := tx.QueryRow(`
					SELECT COUNT(*) > 0
					FROM settings
					WHERE key IN ('plan', 'defaults') AND value LIKE ?`, "%"+text+"%").Scan(&has)
				if has {
					n++
				}
				return err
			})
		}
		return n
	}
	partial := 0
	for n := range 6 {
		args := []string{"defaults", "set", fmt.Sprintf(`branding={"name":"Agency %d"}`, n), "--data", data}
		if n%2 == 1 {
			args = []string{"plan", "set", "basic", "--products", fmt.Sprint(100 + n), "--data", data}
		}
		cmd := storefront(t, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(100+n*60) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if some := max(count(fmt.Sprintf("Agency %d", n)), count(fmt.Sprintf(`"products":%d`, 100+n))); some > 0 && some < shops {
			partial++
		}
	}
	var name, products string
	inShop(t, data, "installation", func(tx *db.Tx) error {
		err := tx.QueryRow(`
			SELECT substr(value, instr(value, 'Agency'), 8)
			FROM settings
			WHERE key = 'defaults'`).Scan(&name)
		if err != nil {
			return err
		}
		return tx.QueryRow(`
			SELECT substr(limits, instr(limits, '"products"'), 14)
			FROM plans`).Scan(&products)
	})
	p := serve(t, "--data", data, "--rate", "0")
	dbtest.Eventually(t, "every shop has the copies", func() bool {
		time.Sleep(time.Second)
		return count(name) == shops && count(strings.TrimRight(products, "},")) == shops
	})
	p.stop()
	t.Logf("%s and %s, %d of 6 killed in the middle", name, products, partial)
}
