package shop_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/page"
	"storefront/shop/shoptest"
)

// listedBuyer is a buyer as a list is expected to show it.
type listedBuyer struct {
	key    string // account ID or phone number
	guest  bool
	name   string
	orders int
	spent  int64
	last   int64 // 0: no orders
	number int64 // of the newest order
}

// Each page of a list has the buyers that the orders add up to, in any order: orders in sandbox
// mode and erased ones count for no buyer.
func TestListCustomers_Pages(t *testing.T) {
	t.Parallel()
	s := shoptest.NewStocked(t, &shoptest.Options{})
	r := rand.New(rand.NewPCG(1, 2))
	buyers := map[string]*listedBuyer{}
	for i := range 12 {
		id := fmt.Sprintf("A%02d", i)
		phone := fmt.Sprintf("+8801711%06d", i)
		s.Exec(t, `INSERT INTO customers (id, name, phone, created_at, updated_at) VALUES (?, ?, ?, ?, 1)`,
			id, fmt.Sprintf("Karim %d", i%2), phone, i/2)
		buyers[id] = &listedBuyer{key: id, name: fmt.Sprintf("Karim %d", i%2)}
	}
	for n := int64(1); n <= 200; n++ {
		test, at, total := r.IntN(10)/9, int64(1000+r.IntN(60)), int64(100+r.IntN(900))
		status := []string{"pending", "confirmed", "cancelled", "expired"}[r.IntN(4)]
		paid := r.Int64N(2) * total
		refunded := r.Int64N(paid + 1)
		phone, name := fmt.Sprintf("+8801711%06d", r.IntN(30)), fmt.Sprintf("Rahima %d", r.IntN(3))
		customer := any(nil)
		switch r.IntN(5) {
		case 0:
			customer = fmt.Sprintf("A%02d", r.IntN(9))
		case 1:
			if r.IntN(4) == 0 {
				phone, name = "", ""
			}
		}
		s.Exec(t, `
			INSERT INTO orders (number, id, status, payment_status, fulfillment_status, payment_method, test, customer_id, customer_name,
				customer_phone, line1, line2, area, city, postcode, country, note, delivery_charge_id, delivery_name, subtotal, discount,
				delivery_charge, rounding, total, paid, refunded, placed_at, updated_at)
			VALUES (?, ?, ?, 'unpaid', 'unfulfilled', 'cod', ?, ?, ?, ?, 'House', '', '', 'Dhaka', '', '', '', '', '', ?, 0, 0, 0, ?, ?, ?, ?, 1)`,
			n, fmt.Sprintf("%016d", n), status, test, customer, name, phone, total, total, paid, refunded, at)
		if test == 1 || customer == nil && phone == "" {
			continue
		}
		key, guest := phone, customer == nil
		if !guest {
			key = customer.(string)
		}
		if buyers[key] == nil {
			buyers[key] = &listedBuyer{key: key, guest: guest}
		}
		b := buyers[key]
		b.orders++
		b.spent += paid - refunded
		if at > b.last || at == b.last && n > b.number {
			if b.last, b.number = at, n; guest {
				b.name = name
			}
		}
	}
	shoptest.MarkPosted(t, s.Store, s.UID())
	if err := s.CountBuyers(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, kind := range append(shop.CustomerKinds(), "") {
		for j, search := range []string{"", "", "", "", "karim 1", "rahima", "RAHIMA 2", "a", "+8801711000004", "+8801711000003", "dhaka", "%"} {
			sort := shop.CustomerFilter{Kind: kind, Search: search, Sort: page.Descending}
			if (i+j)%2 == 1 {
				sort.Sort = page.Ascending
			}
			if k := (i + j) % 4; k > 0 {
				sort.SortBy = shop.CustomerSorts()[k-1]
			}
			want := expectedBuyers(buyers, sort)
			for _, limit := range []int{1, 7, 50, page.NoLimit} {
				var got []string
				for number := 1; ; number++ {
					filter := sort
					filter.Request = page.Request{Page: &number, Limit: &limit}
					list, err := s.ListCustomers(t.Context(), access.Operator(), filter)
					if err != nil {
						t.Fatal(err)
					}
					if list.Meta.TotalCount != len(want) && limit != page.NoLimit || list.Meta.Bounded {
						t.Errorf("%s %q: got %+v, want %d in total", kind, search, list.Meta, len(want))
					}
					for _, c := range list.Nodes {
						got = append(got, describeBuyer(c))
					}
					if !list.Meta.HasNextPage {
						break
					}
				}
				if strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("%+v by %d: got\n%s\nwant\n%s", sort, limit, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		}
	}
}

func describeBuyer(c shop.CustomerRow) string {
	key := c.ID
	if key == nil {
		key = c.PhoneNumber
	}
	last := int64(0)
	if c.LastOrderAt != nil {
		last = db.Millis(*c.LastOrderAt)
	}
	return fmt.Sprintf("%s %s %s %d %d %d", c.Kind, *key, c.Name, c.Orders, c.Spent.Amount, last)
}

// expectedBuyers describes the buyers that a filter selects, in the order of the list.
func expectedBuyers(buyers map[string]*listedBuyer, filter shop.CustomerFilter) (list []string) {
	var selected []*listedBuyer
	for _, b := range buyers {
		phone := b.key
		if !b.guest {
			phone = "+8801711" + fmt.Sprintf("%06s", b.key[1:])
		}
		found := phone == filter.Search || strings.Contains(strings.ToLower(b.name), strings.ToLower(filter.Search))
		if found && (b.guest && filter.Kind != shop.CustomerAccounts || !b.guest && filter.Kind != shop.CustomerGuests) {
			selected = append(selected, b)
		}
	}
	slices.SortFunc(selected, func(a, b *listedBuyer) int {
		by := cmp.Compare(a.last, b.last)
		switch filter.SortBy {
		case shop.SortSpent:
			by = cmp.Compare(a.spent, b.spent)
		case shop.SortCustomerName:
			by = cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
		}
		if by = cmp.Or(by, cmp.Compare(a.key, b.key)); filter.Sort == page.Ascending {
			return by
		}
		return -by
	})
	for _, b := range selected {
		of := shop.CustomerAccounts
		if b.guest {
			of = shop.CustomerGuests
		}
		list = append(list, fmt.Sprintf("%s %s %s %d %d %d", of, b.key, b.name, b.orders, b.spent, b.last))
	}
	return list
}

// BenchmarkListCustomers measures a page of the buyers of 100,000 orders with its count.
func BenchmarkListCustomers(b *testing.B) {
	s := shoptest.NewStocked(b, &shoptest.Options{})
	s.Fill(b, 100_000)
	s.Exec(b, `
		INSERT INTO customers (id, name, phone, created_at, updated_at)
		SELECT 'A' || customer_phone, 'Karim ' || MIN(number), customer_phone, MIN(placed_at), 1
		FROM orders
		WHERE number % 3 = 0
		GROUP BY customer_phone`)
	s.Exec(b, `UPDATE orders SET customer_id = 'A' || customer_phone WHERE number % 3 = 0`)
	if err := s.CountBuyers(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct {
		name   string
		filter shop.CustomerFilter
	}{
		{"all", shop.CustomerFilter{}},
		{"all, page 100", shop.CustomerFilter{Request: page.Request{Page: new(100)}}},
		{"accounts", shop.CustomerFilter{Kind: shop.CustomerAccounts}},
		{"guests", shop.CustomerFilter{Kind: shop.CustomerGuests}},
		{"by spending", shop.CustomerFilter{SortBy: shop.SortSpent}},
		{"by spending, page 100", shop.CustomerFilter{Request: page.Request{Page: new(100)}, SortBy: shop.SortSpent}},
		{"by name", shop.CustomerFilter{SortBy: shop.SortCustomerName}},
		{"a phone number", shop.CustomerFilter{Search: "+8801700000123"}},
		{"a frequent name", shop.CustomerFilter{Search: "khatun"}},
		{"a rare name", shop.CustomerFilter{Search: "khatun 777"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			bench.filter.Limit = new(50)
			for b.Loop() {
				if _, err := s.ListCustomers(b.Context(), access.Operator(), bench.filter); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
