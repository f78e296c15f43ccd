package tenants_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
	"storefront/tenants"
)

// A shop is closed and deleted after some days, unless an operator resumes it before. Its staff
// members see the reason and the day.
func TestDeleteShopLater(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	create(t, a.Tenants, "maple")
	tanvir := a.operator(t, staff.OperatorOwner, "Tanvir")
	later := func(uid string, days int) time.Time {
		t.Helper()
		a.clock.Advance(time.Second) // no two writes at one time
		date, err := a.DeleteShopLater(t.Context(), tanvir, uid, tenants.DeletionInput{Reason: "The contract has ended.", Days: &days})
		if err != nil {
			t.Fatal(err)
		}
		return date.DeleteAt
	}
	rows := func() map[string]tenants.ShopRow {
		t.Helper()
		list, err := a.ListShops(t.Context(), access.Operator(), tenants.ShopFilter{})
		if err != nil {
			t.Fatal(err)
		}
		byUID := map[string]tenants.ShopRow{}
		for _, row := range list.Nodes {
			byUID[row.UID] = row
		}
		return byUID
	}
	// run runs the deletions of two servers for a while.
	run := func() {
		t.Helper()
		ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer stop()
		done := make(chan struct{})
		go func() { a.RunDeletions(ctx, slog.New(slog.DiscardHandler)); close(done) }()
		a.RunDeletions(ctx, slog.New(slog.DiscardHandler))
		<-done
	}
	if list := rows(); len(list) != 2 || list["acme"].DeleteAt != nil {
		t.Errorf("got the list %+v, want two shops that stay", list)
	}
	for _, days := range []int{0, 91, -1} {
		_, err := a.DeleteShopLater(t.Context(), tanvir, "acme", tenants.DeletionInput{Reason: "x", Days: &days})
		wantCode(t, err, fault.CodeValidationFailed)
	}
	_, err := a.DeleteShopLater(t.Context(), tanvir, "acme", tenants.DeletionInput{})
	wantCode(t, err, fault.CodeValidationFailed)

	acme, maple := later("acme", 7), later("maple", 30)
	if got := acme.Sub(a.clock.Now()); got < 7*24*time.Hour-time.Second || got > 7*24*time.Hour {
		t.Errorf("got a deletion in %s, want 7 days", got)
	}
	_, err = a.Shop(t.Context(), "acme")
	wantCode(t, err, fault.CodeTenantSuspended)
	set, err := a.acme.Settings(t.Context())
	if err != nil || set.Suspension.Reason != "The contract has ended." || !set.Suspension.DeleteAt.Equal(acme) {
		t.Errorf("got %+v, %v, want the reason and the day", set.Suspension, err)
	}
	if list := rows(); !list["acme"].DeleteAt.Equal(acme) || list["acme"].State != tenants.ShopSuspended || !list["maple"].DeleteAt.Equal(maple) {
		t.Errorf("got the list %+v, want the days", list)
	}

	a.clock.Advance(6 * 24 * time.Hour)
	run()
	if len(rows()) != 2 {
		t.Fatal("a shop was deleted too early")
	}
	if err := a.ResumeShop(t.Context(), access.Operator(), "acme"); err != nil {
		t.Fatal(err)
	}
	a.clock.Advance(2 * 24 * time.Hour)
	run()
	if list := rows(); len(list) != 2 || list["acme"].DeleteAt != nil || list["acme"].State != tenants.ShopOpen {
		t.Fatalf("got the list %+v, want a shop that stays", list)
	}
	a.clock.Advance(30 * 24 * time.Hour)
	dbtest.Eventually(t, "the shop is deleted", func() bool { run(); return len(rows()) == 1 })
	if _, err := a.Shop(t.Context(), "acme"); err != nil {
		t.Errorf("the other shop: %v", err)
	}
	trash, err := a.ListTrash("maple")
	if err != nil || len(trash) != 1 {
		t.Errorf("got the trash %+v, %v, want the shop", trash, err)
	}
	log, err := a.own.Staff.ListOperatorLog(t.Context(), access.Operator(), staff.AuditFilter{})
	if err != nil || len(log.Nodes) < 3 || log.Nodes[1].Action != access.ToDeleteShop.Action || log.Nodes[1].Actor.Name != "Tanvir" {
		t.Errorf("got the log %+v, %v", log, err)
	}
}
