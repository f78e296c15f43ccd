package cmd_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/cmd"
	"storefront/db/dbtest"
	"storefront/shop"
)

type shopUsage struct {
	UID       string
	FileBytes *int64
	Usage     *shop.Usage
	Problem   *string
}

// The figures equal the sums over the shop's own data.
func TestTenantList_Usage(t *testing.T) {
	t.Parallel()
	c := newSeeded(t)
	c.must("tenant", "create", "empty", "--name", "=Empty", "--owner", "rina@example.com")
	type day struct {
		Orders  int64
		Revenue struct{ Amount int64 }
	}
	var all int64
	now := time.Now().In(time.FixedZone("Asia/Dhaka", 6*3600))
	for _, first := range []time.Time{
		time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC), time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC),
	} {
		month := first.Format("2006-01")
		var list []shopUsage
		c.json(&list, "tenant", "list", "--usage", "--month", month)
		if len(list) != 2 || list[0].Usage == nil || list[1].Usage == nil {
			t.Fatalf("%s: got %+v, want two shops", month, list)
		}
		got := *list[0].Usage
		var report struct{ Rows []day }
		c.json(&report, "api", "acme", "reportDays", "--from", first.Format(time.DateOnly), "--to", first.AddDate(0, 1, -1).Format(time.DateOnly))
		var orders, revenue int64
		for _, d := range report.Rows {
			orders, revenue = orders+d.Orders, revenue+d.Revenue.Amount
		}
		all += orders
		if got.Month != month || got.Orders != orders || got.Revenue != revenue {
			t.Errorf("%s: got %+v, want %d orders and %d", month, got, orders, revenue)
		}
		rows := c.exportedRows("acme")
		if got.Products != int64(len(rows["products"])) || got.Staff != int64(len(rows["staff"])) || got.LastOrderAt == nil {
			t.Errorf("%s: got %+v, want %d products and %d staff members", month, got, len(rows["products"]), len(rows["staff"]))
		}
		if isFile := list[0].FileBytes != nil; isFile == dbtest.OnPostgres() || isFile && *list[0].FileBytes == 0 {
			t.Errorf("%s: got file size %v", month, list[0].FileBytes)
		}
		if e := list[1].Usage; e.Orders != 0 || e.Revenue != 0 || e.LastOrderAt != nil || e.Owner == nil || *e.Owner != "rina@example.com" {
			t.Errorf("%s: got %+v of the empty shop", month, e)
		}
	}
	if all == 0 {
		t.Error("got no order in two months, want those of the demo")
	}

	records, err := csv.NewReader(strings.NewReader(c.must("tenant", "list", "--usage", "--csv"))).ReadAll()
	if err != nil || len(records) != 3 || records[2][1] != "'=Empty" || records[2][7] != "0.00" || records[2][2] != "rina@example.com" {
		t.Errorf("got %v, %v", records, err)
	}
	c.must("tenant", "list", "--usage")
	c.fails(cmd.ExitFailed, "must have the form 2026-11", "tenant", "list", "--usage", "--month", "November")
	c.fails(cmd.ExitUsage, "need --usage", "tenant", "list", "--csv")
}

// A shop that cannot be read is listed with its problem and does not hide the others.
func TestTenantList_UsageDamaged(t *testing.T) {
	t.Parallel()
	dbtest.NeedFiles(t, "it damages a file")
	c := newConsole(t)
	for i := range 3 {
		c.must("tenant", "create", fmt.Sprintf("shop-%d", i), "--name", "Shop")
	}
	file := filepath.Join(c.dir, "tenants", "shop-1.db")
	if err := os.WriteFile(file, []byte(strings.Repeat("garbage ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := c.run("tenant", "list", "--usage", "--csv")
	if r.code != cmd.ExitFailed || strings.Count(r.stdout, "\n") != 4 || !strings.Contains(r.stderr, "shops not read: 1 of 3") {
		t.Errorf("got %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}
