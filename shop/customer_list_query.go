package shop

import (
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/phone"
)

// customerQuery selects buyers: accounts of customers c, and guests of contacts c.
type customerQuery struct {
	accounts, guests string // conditions; "" if there are none
	accountArgs      []any
	guestArgs        []any
	searched         bool
	sortBy           CustomerSort
	ascending        bool
}

func newCustomerQuery(f *CustomerFilter, country string) *customerQuery {
	search := strings.TrimSpace(input.Clean(f.Search))
	usual := page.Descending
	if f.SortBy == SortCustomerName {
		usual = page.Ascending
	}
	q := &customerQuery{searched: search != "", sortBy: f.SortBy, ascending: page.IsAscending(f.Sort, usual)}
	if f.Kind != CustomerGuests {
		q.accounts, q.accountArgs = account.SearchCondition(search, country)
	}
	if f.Kind == CustomerAccounts {
		return q
	}
	q.guests = "c.orders > 0"
	email, isEmail := input.ParseEmail(search)
	number, isPhone := phone.Parse(search, country)
	switch {
	case !q.searched:
	case isEmail:
		q.guests += " AND c.phone IN (SELECT customer_phone FROM orders WHERE customer_email = ? AND customer_id IS NULL AND test = 0)"
		q.guestArgs = []any{email}
	case isPhone:
		q.guests, q.guestArgs = q.guests+" AND c.phone = ?", []any{number}
	default: // as accounts
		name, args := account.SearchCondition(search, country)
		q.guests, q.guestArgs = q.guests+" AND "+name, args
	}
	return q
}

// buyers returns the query for the buyers' keys and sort values.
func (q *customerQuery) buyers() (query string, args []any) {
	column := customerSorts[q.sortBy]
	var parts []string
	if q.accounts != "" {
		parts, args = append(parts, `
		SELECT `+column+` AS sorted, c.id AS buyer, 0 AS guest
		FROM customers c
		WHERE `+q.accounts), append(args, q.accountArgs...)
	}
	if q.guests != "" {
		parts, args = append(parts, `
		SELECT `+column+` AS sorted, c.phone AS buyer, 1 AS guest
		FROM contacts c
		WHERE `+q.guests), append(args, q.guestArgs...)
	}
	return strings.Join(parts, `
		UNION ALL`), args
}

// page returns the query of one page of the keys, in order: each of its parts is read in the order
// of an index.
func (q *customerQuery) page(w page.Window) (query string, args []any) {
	direction := " DESC"
	if q.ascending {
		direction = ""
	}
	query, args = q.buyers()
	query += `
		ORDER BY sorted` + direction + ", buyer" + direction
	if w.Limit != page.NoLimit {
		query, args = query+" LIMIT ? OFFSET ?", append(slices.Clone(args), w.Limit, w.Offset())
	}
	return query, args
}

// find returns the keys of one page of the buyers.
func (q *customerQuery) find(tx *db.Tx, w page.Window) ([]order.Buyer, error) {
	query, args := q.page(w)
	buyers, err := db.Query(tx, func(r db.Row) (b order.Buyer, err error) {
		sorted := any(new(int64))
		if q.sortBy == SortCustomerName {
			sorted = new(string)
		}
		var key string
		var guest int
		if err = r.Scan(sorted, &key, &guest); guest == 1 {
			b.Phone = key
		} else {
			b.CustomerID = key
		}
		return b, err
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list customers: %w", err)
	}
	return buyers, nil
}

// findAndCount returns the keys of one page of the buyers and counts them all, in a search up to
// [page.MaxCount]: each pass over the names costs more than reading that many keys.
func (q *customerQuery) findAndCount(tx *db.Tx, w page.Window) (buyers []order.Buyer, count page.Count, err error) {
	if !q.searched {
		if count, err = q.count(tx); err == nil {
			buyers, err = q.find(tx, w)
		}
		return buyers, count, err
	}
	found, err := q.find(tx, page.Window{Page: 1, Limit: page.MaxCount + 1})
	if err != nil {
		return nil, count, err
	}
	if count.Total = len(found); count.Total > page.MaxCount {
		count = page.Count{Total: page.MaxCount, Bounded: true}
		if w.Limit == page.NoLimit || w.Offset()+w.Limit > page.MaxCount {
			buyers, err = q.find(tx, w)
			return buyers, count, err
		}
	}
	if w.Limit == page.NoLimit {
		return found, count, nil
	}
	from := min(w.Offset(), len(found))
	return found[from:min(from+w.Limit, len(found))], count, nil
}

// count counts the buyers, without a search.
func (q *customerQuery) count(tx *db.Tx) (count page.Count, err error) {
	for table, condition := range map[string]string{"customers": q.accounts, "contacts": q.guests} {
		if condition == "" {
			continue
		}
		var n int
		if err := tx.QueryRow("SELECT COUNT(*) FROM " + table + " c WHERE " + condition).Scan(&n); err != nil {
			return count, fmt.Errorf("count customers: %w", err)
		}
		count.Total += n
	}
	return count, nil
}

// customerRows returns buyers in the form for lists.
func customerRows(tx *db.Tx, buyers []order.Buyer, currency money.Currency) ([]CustomerRow, error) {
	var ids, phones []string
	for _, b := range buyers {
		if b.CustomerID != "" {
			ids = append(ids, b.CustomerID)
		} else {
			phones = append(phones, b.Phone)
		}
	}
	found, err := findGuests(tx, phones, currency)
	if err != nil {
		return nil, err
	}
	if err := addAccountRows(tx, found, ids, currency); err != nil {
		return nil, err
	}
	rows := make([]CustomerRow, len(buyers))
	phones = nil
	for i, b := range buyers {
		rows[i] = found[b]
		phones = append(phones, db.TextOf(rows[i].PhoneNumber))
	}
	records, err := order.FindRecords(tx, phones)
	for i, number := range phones {
		if record, ok := records[number]; ok {
			rows[i].Record = &record
		}
	}
	return rows, err
}

// findGuests returns the rows of guests by phone number, without their records.
func findGuests(tx *db.Tx, phones []string, currency money.Currency) (map[order.Buyer]CustomerRow, error) {
	rows := map[order.Buyer]CustomerRow{}
	for chunk := range db.Chunks(phones) {
		list, args := db.InList(chunk)
		err := tx.Each(`
			SELECT c.phone, c.name, c.orders, c.spent, c.last_order_at, (
				SELECT o.customer_email
				FROM orders o
				WHERE o.customer_phone = c.phone AND o.customer_id IS NULL AND o.test = 0
				ORDER BY o.placed_at DESC, o.number DESC
				LIMIT 1)
			FROM contacts c
			WHERE c.phone IN `+list, args, func(r db.Row) error {
			var number string
			var sums order.Purchases
			row := CustomerRow{Kind: CustomerGuests, PhoneNumber: &number}
			err := r.Scan(&number, &row.Name, &sums.Orders, &sums.Spent, &sums.LastAt, &row.Email)
			row.addPurchases(sums, currency)
			rows[order.Buyer{Phone: number}] = row
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find guests: %w", err)
		}
	}
	return rows, nil
}

// addAccountRows adds the rows of accounts by ID, without their records.
func addAccountRows(tx *db.Tx, rows map[order.Buyer]CustomerRow, ids []string, currency money.Currency) error {
	accounts, err := account.FindAccounts(tx, ids)
	if err != nil {
		return err
	}
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		err := tx.Each(`
			SELECT id, orders, spent, last_order_at
			FROM customers
			WHERE id IN `+list, args, func(r db.Row) error {
			var id string
			var sums order.Purchases
			err := r.Scan(&id, &sums.Orders, &sums.Spent, &sums.LastAt)
			a := accounts[id]
			row := CustomerRow{
				Kind: CustomerAccounts, ID: &id, Name: a.Name(), PhoneNumber: a.Phone(), Email: a.Email(), CreatedAt: new(a.CreatedAt()),
			}
			row.addPurchases(sums, currency)
			rows[order.Buyer{CustomerID: id}] = row
			return err
		})
		if err != nil {
			return fmt.Errorf("find accounts of a list: %w", err)
		}
	}
	return nil
}

func (c *CustomerRow) addPurchases(p order.Purchases, currency money.Currency) {
	c.Orders, c.Spent, c.LastOrderAt = p.Orders, currency.Money(p.Spent), p.LastOrderAt()
}
