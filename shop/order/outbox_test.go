package order_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/inbox"
	"storefront/shop/order"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
)

// TestOutbox_Types checks that every kind of change is in the outbox, with what it happened to and
// who caused it, and that a change by staff is in the audit log.
func TestOutbox_Types(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	clerk := access.CommandLine("rina")
	names := map[string]string{} // of subjects
	events := func(after int64) (events []outbox.Event) {
		t.Helper()
		err := s.store.View(t.Context(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) (err error) {
			events, err = outbox.After(tx, after, 100)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return events
	}
	audited := func() int64 { return s.number(t, `SELECT COUNT(*) FROM audit_log`) }
	byClerk := &outbox.Actor{Kind: "cli"}
	last := int64(0)
	step := func(name string, by *outbox.Actor, change func() error, want ...string) {
		t.Helper()
		before := audited()
		if err := change(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := audited() - before; by == byClerk && (n > 0) != (len(want) > 0) {
			t.Errorf("%s: got %d audit entries for events %q, want entries for a change only", name, n, want)
		}
		var got []string
		for _, e := range events(last) {
			last = e.Seq
			got = append(got, string(e.Type)+" "+names[e.Subject]+" "+e.Data.Status)
			if (e.Data.Actor == nil) != (by == nil) || by != nil && *e.Data.Actor != *by {
				t.Errorf("%s: got %s by %v, want %v", name, e.Type, e.Data.Actor, by)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got events %q, want %q", name, got, want)
		}
	}
	for _, e := range events(0) {
		last = e.Seq
	}

	var tea *catalogue.ProductRecord
	in := catalogue.ProductInput{Title: "Tea", Handle: "tea",
		Variants: []catalogue.VariantInput{{SKU: "TEA", Price: 100, Tracked: true, Stock: new(8), LowStock: new(3)}}}
	rename := func(title string) func() error {
		return func() error {
			_, err := s.Catalogue.UpdateProduct(t.Context(), clerk, "tea", catalogue.ProductChange{Title: &title})
			return err
		}
	}
	step("product", byClerk, func() (err error) {
		if tea, err = s.Catalogue.CreateProduct(t.Context(), clerk, in); err == nil {
			names[tea.ID], names[tea.Variants[0].ID] = "tea", "variant"
		}
		return err
	}, "product.created tea ")
	step("same product", byClerk, rename("Tea"))
	step("other title", byClerk, rename("Green tea"), "product.updated tea ")
	buy := func(units int) func() error {
		return func() error {
			names[s.mustPlace(t, access.Caller{}, guestOrder(wants(tea.Product, units))).ID] = "order"
			return nil
		}
	}
	step("4 of 8", nil, buy(4), "order.placed order pending")
	step("1 of 4", nil, buy(1), "order.placed order pending", "stock.low variant LOW_STOCK")
	step("1 of 3", nil, buy(1), "order.placed order pending")
	step("the last", nil, buy(2), "order.placed order pending", "stock.out variant OUT_OF_STOCK")
	change := func(c catalogue.StockChange) func() error {
		return func() error {
			_, err := s.Catalogue.ChangeStock(t.Context(), clerk, "TEA", c)
			return err
		}
	}
	step("more stock", byClerk, change(catalogue.StockChange{Set: new(int64(9))}), "product.updated tea ")
	step(
		"less stock",
		byClerk,
		change(catalogue.StockChange{Adjust: new(int64(-7))}),
		"product.updated tea ",
		"stock.low variant LOW_STOCK",
	)
	step("back-ordered", byClerk, change(catalogue.StockChange{Set: new(int64(0)), Backorder: new(true)}), "product.updated tea ",
		"stock.out variant BACKORDER")
	step("higher price", byClerk, func() error {
		change := catalogue.ProductChange{Variants: []catalogue.VariantChange{{Price: new(int64(200))}}}
		_, err := s.Catalogue.UpdateProduct(t.Context(), clerk, "tea", change)
		return err
	}, "product.updated tea ")
	step("archived product", byClerk, func() error {
		_, err := s.Catalogue.UpdateProduct(t.Context(), clerk, "tea", catalogue.ProductChange{Status: new(catalogue.ProductArchived)})
		return err
	}, "product.updated tea ")
	step("deleted product", byClerk, func() error { return s.Catalogue.DeleteProduct(t.Context(), clerk, "tea") }, "product.deleted tea ")

	spec := order.CouponSpec{Code: "EID", Kind: order.CouponFixed, Amount: new(int64(100)), Active: true}
	saveCoupon := func() error {
		coupon, err := s.Orders.SaveCoupon(t.Context(), clerk, spec)
		if err == nil {
			names[coupon.ID] = "coupon"
		}
		return err
	}
	step("coupon", byClerk, saveCoupon, "coupon.created coupon ")
	step("same coupon", byClerk, saveCoupon)
	spec.Amount = new(int64(200))
	step("other amount", byClerk, saveCoupon, "coupon.updated coupon ")
	step("disabled coupon", byClerk, func() error {
		_, err := s.Orders.DisableCoupon(t.Context(), clerk, "EID")
		return err
	}, "coupon.updated coupon ")
	step("deleted coupon", byClerk, func() error { return s.Orders.DeleteCoupon(t.Context(), clerk, "EID", nil) }, "coupon.deleted coupon ")

	names["settings"] = "settings"
	setSettings := func() error {
		return s.SetSettings(t.Context(), clerk, map[string]json.RawMessage{"autoConfirm": json.RawMessage("true")})
	}
	step("settings", byClerk, setSettings, "settings.changed settings ")
	step("same settings", byClerk, setSettings)
	step("registration", nil, func() error {
		s.mustRegister(t, shoptest.RegisterInput("Karim", "karim@example.com", ""))
		return nil
	}, "customer.created  ")
	for _, want := range [][]string{{"provider.webhook_failed  unmatched"}, nil} { // once
		step("webhook", outbox.Shop(), func() error {
			_, err := shoptest.ReceiveWebhook(
				t.Context(),
				s.Shop,
				plugin.CourierB,
				"event-1",
				"{}",
				func() (inbox.Verdict, error) { return inbox.VerdictUnmatched, nil },
			)
			return err
		}, want...)
	}
	member, link, err := s.Staff.InviteMember(
		t.Context(),
		clerk,
		staff.InviteInput{Name: "Mina", Email: new("mina@example.com"), Role: staff.RoleOwner},
	)
	if err != nil {
		t.Fatal(err)
	}
	names[member.ID] = "mina"
	step("first sign-in", nil, func() error {
		_, err := s.Staff.UseLink(t.Context(), access.Caller{}, staff.UseLinkInput{Token: link.Token, Password: shoptest.Password})
		return err
	}, "staff.signed_in mina ")
	step("sign-in", nil, func() error {
		_, err := s.Staff.SignIn(t.Context(), access.Caller{}, staff.SignInInput{User: "mina@example.com", Password: shoptest.Password})
		return err
	}, "staff.signed_in mina ")
}

// The end of a job is in the outbox once, after what it has done.
func TestOutbox_JobFinished(t *testing.T) {
	t.Parallel()
	s := newBulkShop(t, 2)
	done := s.change(t, access.Operator(), order.BulkChange{Action: order.BulkConfirm, IDs: s.ids})
	var events []outbox.Event
	err := s.Store.View(t.Context(), s.Config.ID, func(_ context.Context, tx *db.Tx) (err error) {
		events, err = outbox.After(tx, 0, 100)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var types []outbox.Type
	for _, e := range events {
		if e.Type == outbox.OrderConfirmed || e.Type == outbox.JobFinished {
			types = append(types, e.Type)
		}
	}
	if want := []outbox.Type{outbox.OrderConfirmed, outbox.OrderConfirmed, outbox.JobFinished}; !slices.Equal(types, want) {
		t.Fatalf("got %q, want %q", types, want)
	}
	last := events[len(events)-1]
	if last.Type != outbox.JobFinished || last.Subject != *done.ID || last.Data.Status != "done" || *last.Data.Actor != *outbox.Shop() {
		t.Errorf("got %+v, want the end of the job %s", last, *done.ID)
	}
}

// A statement of a courier is in the outbox once it is complete.
func TestOutbox_Statement(t *testing.T) {
	t.Parallel()
	s, statement := cashShop(t, 2)
	for _, dryRun := range []bool{true, false} {
		if _, err := s.Cash.ReconcileStatement(t.Context(), access.Operator(), cash.StatementFile{
			Courier: plugin.CourierA, File: strings.NewReader(statement), DryRun: dryRun,
		}); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.number(t, `SELECT COUNT(*) FROM outbox WHERE type = 'cash.reconciled'`); n != 1 {
		t.Errorf("got %d events, want 1", n)
	}
}
