package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// Customers are accounts and guests by phone number with their record, to those who may view them
// alone. Their latest orders are shown to those who may view orders, too.
func TestAdmin_Customers(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	s.shop.InsertOrder(t, "0123456789ABCDE0", shoptest.RahimsPhone)
	s.shop.Exec(t, `UPDATE orders SET cash_paid = 100, paid = 100`)
	s.shop.Exec(t, `UPDATE contacts SET spent = 200 WHERE orders = 2`)
	karim := s.shop.SignIn(t, shoptest.KarimsPhone).User.ID
	s.shop.Exec(t, `INSERT INTO addresses (id, customer_id, position, line1, line2, area, city, postcode, country)
		VALUES ('a', ?, 1, 'House 7', '', '', 'Dhaka', '', '')`, karim)
	const path = "/admin/v1/shops/test/customers"
	reader := s.key(t, "customers.read")
	for query, want := range map[string]string{
		"": "guest " + shoptest.RahimsPhone + " 2, account " + karim + " 0", "?kind=all&limit=1": "guest " + shoptest.RahimsPhone + " 2",
		"?kind=all&limit=1&page=2": "account " + karim + " 0", "?page=2": "", "?kind=guest&search=rahim": "guest " + shoptest.RahimsPhone + " 2",
		"?kind=account": "account " + karim + " 0", "?search=01811-000000": "account " + karim + " 0",
		"?kind=account&search=guest@example.com": "",
		"?search=guest@example.com":              "guest " + shoptest.RahimsPhone + " 2",
		"?sortBy=spent&sort=asc":                 "account " + karim + " 0, guest " + shoptest.RahimsPhone + " 2",
		"?sortBy=spent":                          "guest " + shoptest.RahimsPhone + " 2, account " + karim + " 0",
		"?sortBy=name&sort=desc&kind=guest":      "guest " + shoptest.RahimsPhone + " 2",
	} {
		var list page.List[shop.CustomerRow]
		s.get(path+query, "Authorization", reader).ok(200, &list)
		var got []string
		for _, c := range list.Nodes {
			key := c.ID
			if key == nil {
				key = c.PhoneNumber
			}
			if got = append(got, fmt.Sprintf("%s %s %d", c.Kind, *key, c.Orders)); c.Kind == shop.CustomerGuests && c.Record.Open != 2 {
				t.Errorf("%s: got record %+v, want two open orders", query, c.Record)
			}
		}
		if strings.Join(got, ", ") != want || list.Meta.Bounded {
			t.Errorf("%s: got %v, %+v, want %s", query, got, list.Meta, want)
		}
	}
	s.get(path+"?kind=member", "Authorization", reader).problem(422, fault.CodeValidationFailed)
	s.get(path+"?sortBy=age", "Authorization", reader).problem(422, fault.CodeValidationFailed)
	s.get(path, "Authorization", s.key(t, "orders.read")).problem(403, fault.CodeForbidden)

	s.shop.InsertOrder(t, "0123456789ABCDE1", shoptest.KarimsPhone)
	s.shop.Clock.Advance(time.Minute)
	s.shop.SignIn(t, shoptest.KarimsPhone) // the order becomes the account's
	s.shop.InsertLines(t)
	for scopes, orders := range map[string]int{"customers.read": 0, "customers.read,orders.read": 1} {
		var c shop.CustomerDetails
		s.get(path+"/"+karim, "Authorization", s.key(t, strings.Split(scopes, ",")...)).ok(200, &c)
		if len(c.Addresses) != 1 || c.Addresses[0].Line1 != "House 7" || c.Orders != 1 || len(c.LatestOrders) != orders ||
			orders > 0 && c.LatestOrders[0].ID != "0123456789ABCDE1" {
			t.Errorf("%s: got %+v, want an address and %d orders", scopes, c, orders)
		}
	}
	for scopes, orders := range map[string]int{"customers.read": 0, "customers.read,orders.read": 2} {
		var c order.ContactDetails
		s.get("/admin/v1/shops/test/contacts/"+shoptest.RahimsPhone, "Authorization", s.key(t, strings.Split(scopes, ",")...)).ok(200, &c)
		if c.Guest == nil || c.Guest.Orders != 2 || c.Guest.Spent.Amount != 200 || len(c.LatestOrders) != orders {
			t.Errorf("%s: got %+v, want a guest with two orders and %d of them", scopes, c, orders)
		}
	}
}
