package order_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/shoptest"
	"storefront/shop/staff"
	"storefront/shop/status"
)

// A staff member deletes their own notes, a manager and an owner any.
func TestDeleteNote(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, calledOrder, shoptest.RahimsPhone)
	callers := map[string]access.Caller{
		"owner": a.StaffCaller(t, staff.RoleOwner), "manager": a.StaffCaller(t, staff.RoleManager), "staff": a.StaffCaller(t, staff.RoleStaff),
		"key": a.KeyCaller(t), "cli": access.CommandLine("rina"), "viewer": a.StaffCaller(t, staff.RoleViewer),
	}
	forbidden := map[string][]string{ // by who deletes
		"staff": {"owner", "manager", "key", "cli"}, "key": {"owner", "manager", "staff", "cli"},
		"viewer": {"owner", "manager", "staff", "key", "cli"},
	}
	for _, by := range []string{"owner", "manager", "staff", "key", "cli"} {
		for deleter, caller := range callers {
			bought, err := a.Orders.AddNote(t.Context(), callers[by], calledOrder, " Wants a gift box\r\n")
			if err != nil {
				t.Fatal(err)
			}
			note := bought.Notes[len(bought.Notes)-1]
			if *note.Text != "Wants a gift box" || note.Kind != order.NoteText || note.Outcome != nil {
				t.Errorf("got note %+v", note)
			}
			want := fault.Code("")
			if slices.Contains(forbidden[deleter], by) {
				want = fault.CodeForbidden
			}
			_, err = a.Orders.DeleteNote(t.Context(), caller, calledOrder, note.ID)
			if got := shoptest.ErrorCode(err); got != want {
				t.Errorf("%s deletes a note of %s: got %q, want %q", deleter, by, got, want)
			}
		}
	}
	order, err := a.Orders.RecordCall(t.Context(), callers["owner"], calledOrder, order.CallInput{Outcome: order.CallNoAnswer})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Orders.DeleteNote(t.Context(), callers["owner"], calledOrder, order.Notes[len(order.Notes)-1].ID)
	shoptest.WantCode(t, err, fault.CodeStateConflict)
	_, err = a.Orders.DeleteNote(t.Context(), callers["owner"], calledOrder, "none")
	shoptest.WantCode(t, err, fault.CodeNotFound)
	for _, text := range []string{"", " \n", strings.Repeat("a", 1001)} {
		_, err = a.Orders.AddNote(t.Context(), callers["owner"], calledOrder, text)
		shoptest.WantCode(t, err, fault.CodeValidationFailed)
	}
	_, err = a.Orders.AddNote(t.Context(), callers["viewer"], calledOrder, "a")
	shoptest.WantCode(t, err, fault.CodeForbidden)
	if n := a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'order.note'`); n != 30 {
		t.Errorf("got %d notes in the audit log, want 30", n)
	}
	checkBuyerSees(t, a, status.OrderPending)
}

func TestTagOrder(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, calledOrder, shoptest.RahimsPhone)
	many := make([]string, 11)
	for i := range many {
		many[i] = fmt.Sprint("tag", i)
	}
	tag := func(change order.TagChange, want ...string) {
		t.Helper()
		order, err := a.Orders.TagOrder(t.Context(), access.Operator(), calledOrder, change)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(order.Tags, want) {
			t.Errorf("%+v: got tags %q, want %q", change, order.Tags, want)
		}
	}
	tag(order.TagChange{Set: &[]string{" Gift ", "gift", "Fragile"}}, "Fragile", "Gift")
	tag(order.TagChange{Add: []string{"GIFT", "১ম"}, Remove: []string{"fragile"}}, "১ম", "Gift")
	tag(order.TagChange{Add: []string{"gift"}}, "১ম", "Gift")
	tag(order.TagChange{Set: &[]string{}})
	if n := a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'order.tag'`); n != 3 {
		t.Errorf("got %d changes in the audit log, want 3", n)
	}
	for _, change := range []order.TagChange{
		{Set: &many}, {Add: many}, {Set: &[]string{""}}, {Set: &[]string{strings.Repeat("a", 31)}}, {Set: &[]string{"a\x01b"}},
	} {
		_, err := a.Orders.TagOrder(t.Context(), access.Operator(), calledOrder, change)
		shoptest.WantCode(t, err, fault.CodeValidationFailed)
	}
	for i := range 200 {
		a.Exec(t, `INSERT INTO order_tags (order_number, tag_key, tag) VALUES (1, ?, ?)`, fmt.Sprint("old", i), fmt.Sprint("old", i))
	}
	a.InsertOrder(t, "0000000000000001", shoptest.RahimsPhone)
	_, err := a.Orders.TagOrder(t.Context(), access.Operator(), "0000000000000001", order.TagChange{Add: []string{"one more"}})
	shoptest.WantCode(t, err, fault.CodeValidationFailed)
	if _, err := a.Orders.TagOrder(t.Context(), access.Operator(), "0000000000000001", order.TagChange{Add: []string{"OLD7"}}); err != nil {
		t.Errorf("a known tag: %v", err)
	}
}

// Of two staff members who claim an order at once, one has it, and both see who.
func TestClaimOrder(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, calledOrder, shoptest.RahimsPhone)
	callers := []access.Caller{a.StaffCaller(t, staff.RoleOwner), a.StaffCaller(t, staff.RoleStaff)}
	claims := make([]*order.Claim, len(callers))
	var done sync.WaitGroup
	for i, caller := range callers {
		done.Go(func() {
			var err error
			if claims[i], err = a.Orders.ClaimOrder(t.Context(), caller, calledOrder); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if t.Failed() {
		t.FailNow()
	}
	if claims[0].Own == claims[1].Own || *claims[0].By != *claims[1].By {
		t.Fatalf("got claims %+v and %+v, want one of them to own it", claims[0], claims[1])
	}
	holder, other := callers[0], callers[1]
	if claims[1].Own {
		holder, other = other, holder
	}
	claim := func(caller access.Caller, want bool) {
		t.Helper()
		got, err := a.Orders.ClaimOrder(t.Context(), caller, calledOrder)
		if err != nil || got.Own != want {
			t.Errorf("got claim %+v (%v), want own %t", got, err, want)
		}
	}
	a.Clock.Advance(4 * time.Minute)
	claim(holder, true) // renewed
	a.Clock.Advance(4 * time.Minute)
	claim(other, false)
	if _, err := a.Orders.AddNote(t.Context(), holder, calledOrder, "On the phone"); err != nil { // renewed by activity
		t.Fatal(err)
	}
	a.Clock.Advance(4 * time.Minute)
	claim(other, false)
	if _, err := a.Orders.ReleaseOrder(t.Context(), other, calledOrder); err != nil {
		t.Fatal(err)
	}
	bought, err := a.Orders.RecordCall(t.Context(), other, calledOrder, order.CallInput{Outcome: order.CallConfirmed})
	if err != nil || bought.ClaimedBy == nil || bought.Status != status.OrderConfirmed {
		t.Errorf("got %+v (%v), want another's claim to prevent nothing", bought, err)
	}
	rows, err := a.Orders.ListOrderRows(t.Context(), other, order.ListFilter{})
	if err != nil || rows.Nodes[0].ClaimedBy == nil || rows.Nodes[0].ClaimedBy.Name != bought.ClaimedBy.Name {
		t.Errorf("got rows %+v (%v), want the claim in them", rows, err)
	}
	if _, err := a.Orders.ReleaseOrder(t.Context(), holder, calledOrder); err != nil {
		t.Fatal(err)
	}
	claim(other, true)
	a.Clock.Advance(6 * time.Minute)
	if rows, err = a.Orders.ListOrderRows(t.Context(), other, order.ListFilter{}); err != nil || rows.Nodes[0].ClaimedBy != nil {
		t.Errorf("got rows %+v (%v), want no claim after five minutes", rows, err)
	}
	claim(holder, true)
	if n := a.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action IN ('order.claim', 'order.release')`); n != 4 {
		t.Errorf("got %d claims and releases in the audit log, want 4", n)
	}
}

// What staff have written about an order is erased with its buyer.
func TestDeleteCustomer_Notes(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, calledOrder, shoptest.RahimsPhone)
	if _, err := a.Orders.AddNote(t.Context(), access.Operator(), calledOrder, "Rahim's sister answers"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Orders.TagOrder(t.Context(), access.Operator(), calledOrder, order.TagChange{Add: []string{"rahim"}}); err != nil {
		t.Fatal(err)
	}
	call := order.CallInput{Outcome: order.CallNoAnswer, Text: "Rahim's sister"}
	if _, err := a.Orders.RecordCall(t.Context(), access.Operator(), calledOrder, call); err != nil {
		t.Fatal(err)
	}
	export, err := a.ExportCustomer(t.Context(), access.Operator(), shoptest.RahimsPhone)
	if err != nil || len(export.Notes) != 2 {
		t.Errorf("got export %+v (%v), want the note and the call", export, err)
	}
	if _, err := a.DeleteCustomer(t.Context(), access.Operator(), shoptest.RahimsPhone); err != nil {
		t.Fatal(err)
	}
	order, err := a.Orders.FindOrderAsStaff(t.Context(), access.Operator(), calledOrder)
	if err != nil || len(order.Tags) != 0 || len(order.Notes) != 1 || order.Notes[0].Text != nil || order.Calls.Count != 1 {
		t.Errorf("got %+v (%v), want a call without text only", order, err)
	}
}

// What staff write about orders and buyers is not public: prepared responses stay valid.
func TestContentVersion_StaffWork(t *testing.T) {
	t.Parallel()
	a := shoptest.NewAccounts(t)
	a.InsertOrder(t, calledOrder, shoptest.RahimsPhone)
	by, ctx := access.Operator(), t.Context()
	for name, work := range map[string]func() error{
		"note": func() error { _, err := a.Orders.AddNote(ctx, by, calledOrder, "Wants a gift box"); return err },
		"call": func() error {
			_, err := a.Orders.RecordCall(ctx, by, calledOrder, order.CallInput{Outcome: order.CallNoAnswer})
			return err
		},
		"tag": func() error {
			_, err := a.Orders.TagOrder(ctx, by, calledOrder, order.TagChange{Add: []string{"gift"}})
			return err
		},
		"contact": func() error {
			_, err := a.Orders.UpdateContact(ctx, by, shoptest.RahimsPhone, order.ContactChange{Note: new("Calls back")})
			return err
		},
		"print": func() error { _, err := a.Orders.MarkPrinted(ctx, by, calledOrder, order.PrintKinds()[0]); return err },
		"search": func() error {
			_, err := a.Orders.ListOrderRows(ctx, by, order.ListFilter{Search: "rahim"})
			return err
		},
	} {
		before, err := a.ContentVersion(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := work(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if after, err := a.ContentVersion(ctx); err != nil || after != before {
			t.Errorf("%s: got version %v, %v, want %v as before", name, after, err, before)
		}
	}
}
