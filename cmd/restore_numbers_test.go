package cmd_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"storefront/cmd"
	"storefront/db/dbtest"
)

// orderNumbers returns the numbers of a shop's orders, sorted.
func (c *console) orderNumbers(uid string) []int {
	c.t.Helper()
	var list struct{ Nodes []struct{ OrderNumber int } }
	c.json(&list, "order", "list", uid)
	var numbers []int
	for _, o := range list.Nodes {
		numbers = append(numbers, o.OrderNumber)
	}
	slices.Sort(numbers)
	return numbers
}

// After a restore, the numbers of the orders that are lost are not used again.
func TestRestore_OrderNumbers(t *testing.T) {
	dbtest.NeedFiles(t, "a shop in a database is not replaced")
	t.Parallel()
	c := newConsole(t)
	c.must("tenant", "create", "acme", "--name", "Acme")
	c.must("product", "import", "acme", writeFile(t, "products.csv", twoProducts))
	c.must("stock", "set", "acme", "MUG-L", "1000")
	wantNext := func(when string, want ...int) {
		t.Helper()
		placeOrder(t, c.dir, "acme")
		if got := c.orderNumbers("acme"); !slices.Equal(got, want) {
			t.Errorf("%s: got orders %v, want %v", when, got, want)
		}
	}
	wantNext("before", 1001)
	var made struct{ Backups []struct{ File string } }
	c.json(&made, "backup", "acme", filepath.Join(c.dir, "..", "copies"))
	backup := filepath.Join(c.dir, "..", "copies", made.Backups[0].File)
	wantNext("before", 1001, 1002)
	wantNext("before", 1001, 1002, 1003)

	var done struct{ NextOrder int }
	c.json(&done, "restore", backup)
	if done.NextOrder != 1104 {
		t.Errorf("beside the replaced file: got next order %d, want 1104", done.NextOrder)
	}
	wantNext("beside the replaced file", 1001, 1104)

	if err := os.WriteFile(filepath.Join(c.dir, "tenants", "acme.db"), []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.json(&done, "restore", backup)
	if done.NextOrder != 2002 {
		t.Errorf("over a damaged file: got next order %d, want 2002", done.NextOrder)
	}
	wantNext("over a damaged file", 1001, 2002)

	c.must("restore", backup, "--renumber-from", "5000")
	wantNext("--renumber-from", 1001, 5000)
	c.must("restore", backup, "--renumber-from", "1002") // the operator knows that nothing was lost
	wantNext("--renumber-from", 1001, 1002)
	c.fails(cmd.ExitFailed, "must be greater than 1001", "restore", backup, "--renumber-from", "1001")
	c.fails(cmd.ExitUsage, "between 1 and 1000000000", "restore", backup, "--renumber-from", "0")
	c.fails(cmd.ExitUsage, "cannot be combined", "restore", backup, "--renumber-from", "2000", "--as", "copy")
	c.fails(cmd.ExitUsage, "cannot be combined", "restore", "--all", filepath.Dir(backup), "--renumber-from", "2000")

	// Nothing is lost with the last file of a deleted shop.
	c.must("tenant", "delete", "acme", "--yes")
	files, err := filepath.Glob(filepath.Join(c.dir, "trash", "acme-2*.db"))
	if err != nil || len(files) < 2 {
		t.Fatalf("files in the trash: got %v, %v, want at least 2", files, err)
	}
	c.json(&done, "restore", files[len(files)-1])
	if done.NextOrder != 1003 {
		t.Errorf("deleted shop: got next order %d, want 1003", done.NextOrder)
	}
	c.must("tenant", "delete", "acme", "--yes")
	c.json(&done, "restore", files[0])
	if done.NextOrder < 2000 {
		t.Errorf("an earlier file of a deleted shop: got next order %d, want a gap", done.NextOrder)
	}
}
