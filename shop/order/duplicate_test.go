package order_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/order"
)

// An order that was tried in sandbox mode does not make one of the shop a duplicate.
func TestListOrderRows_DuplicateOfAnotherMode(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	s.clock.Advance(time.Minute)
	tried := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	duplicates := func() (count int) {
		list, err := s.Orders.ListOrderRows(t.Context(), access.Operator(), order.ListFilter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range list.Nodes {
			if slices.Contains(row.Flags, order.RowDuplicate) {
				count++
			}
		}
		return count
	}
	if got := duplicates(); got != 2 {
		t.Errorf("of one mode: got %d duplicates, want 2", got)
	}
	err := s.store.Update(t.Context(), db.ID(s.UID()), func(_ context.Context, tx *db.Tx) error {
		_, err := tx.Exec("UPDATE orders SET test = 1 WHERE id = ?", tried.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := duplicates(); got != 0 {
		t.Errorf("of different modes: got %d duplicates, want 0", got)
	}
}

// Guests are found by part of the name and by the last digits of the phone number, as accounts are.
func TestSearchShop_Guests(t *testing.T) {
	t.Parallel()
	s := newOrderShop(t, nil)
	order := s.mustPlace(t, access.Caller{}, guestOrder(wants(s.card, 1)))
	phone := order.Customer.PhoneNumber
	for text, want := range map[string]int{
		order.Customer.Name[1:5]: 1, phone[len(phone)-5:]: 1, "99999": 0, phone: 0, // of a whole number: the contact
	} {
		found, err := s.SearchShop(t.Context(), access.Operator(), text)
		if err != nil || len(found.Customers) != want || (found.Contact != nil) != (text == phone) {
			t.Errorf("%q: got %+v, %+v (%v), want %d buyers", text, found.Customers, found.Contact, err, want)
		}
	}
}
