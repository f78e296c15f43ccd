package order

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/money"
)

// findContactRow returns the staff's record of a phone number; an empty row if there is none.
func findContactRow(tx *db.Tx, number string) (*contactRow, error) {
	row := &contactRow{phone: number, tags: []string{}, blocked: BlockNone}
	var tags string
	err := tx.QueryRow(`
		SELECT note, tags, blocked, reason
		FROM contacts
		WHERE phone = ?`, number).Scan(&row.note, &tags, &row.blocked, &row.reason)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return row, nil
	case err == nil:
		err = json.Unmarshal([]byte(tags), &row.tags)
	}
	if err != nil {
		return nil, fmt.Errorf("find contact: %w", err)
	}
	return row, nil
}

// saveContact stores the staff's record of a phone number. A row without content and guest orders
// is deleted.
func saveContact(tx *db.Tx, row *contactRow) error {
	tags, err := json.Marshal(db.OrEmpty(row.tags))
	if err == nil {
		_, err = tx.Exec(`
			INSERT INTO contacts (phone, note, tags, blocked, reason, updated_at)
			VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (phone) DO UPDATE
			SET note = excluded.note, tags = excluded.tags, blocked = excluded.blocked, reason = excluded.reason, updated_at = excluded.updated_at`,
			row.phone, row.note, string(tags), row.blocked, row.reason, db.Millis(tx.Now()))
	}
	if err == nil && row.isEmpty() {
		_, err = tx.Exec(`
			DELETE FROM contacts
			WHERE phone = ? AND orders = 0`, row.phone)
	}
	if err != nil {
		return fmt.Errorf("save contact: %w", err)
	}
	return nil
}

// FindContact returns the contact of a phone number.
func FindContact(tx *db.Tx, number string) (*Contact, error) {
	row, err := findContactRow(tx, number)
	if err != nil {
		return nil, err
	}
	contact, err := contactView(tx, row)
	return &contact, err
}

// contactView returns a contact with the data of its orders and its account.
func contactView(tx *db.Tx, row *contactRow) (Contact, error) {
	c := Contact{
		PhoneNumber: row.phone, Note: db.NullText(row.note), Tags: db.OrEmpty(row.tags), Blocked: row.blocked, BlockedReason: db.NullText(row.reason),
	}
	records, err := FindRecords(tx, []string{row.phone})
	if err != nil {
		return c, err
	}
	if c.Record = records[row.phone]; c.Record.Level == "" {
		c.Record.Level = RecordNew
	}
	var owner string
	err = tx.QueryRow(`
		SELECT id, name
		FROM customers
		WHERE phone = ?`, row.phone).Scan(&c.CustomerID, &owner)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return c, fmt.Errorf("find account of contact: %w", err)
	}
	names, err := db.Query(tx, func(r db.Row) (name string, err error) {
		var last int64
		err = r.Scan(&name, &last)
		if c.LastOrderAt == nil {
			c.LastOrderAt = timeOfMillis(&last)
		}
		return name, err
	}, `
		SELECT customer_name, MAX(placed_at) AS last_at
		FROM orders
		WHERE customer_phone = ?
		GROUP BY customer_name
		ORDER BY last_at DESC, customer_name
		LIMIT 10`, row.phone)
	if err != nil {
		return c, fmt.Errorf("find names of contact: %w", err)
	}
	if owner != "" {
		names = append([]string{owner}, names...)
	}
	names = distinct(names)
	c.Names = db.OrEmpty(names[:min(10, len(names))])
	return c, nil
}

const selectBlocks = `
		SELECT blocked
		FROM contacts
		WHERE phone = ? OR phone = ?`

// findBlock returns the stronger block of two phone numbers; the second may be "".
func findBlock(tx *db.Tx, number, other string) (block Block, err error) {
	blocks, err := db.Query(tx, func(r db.Row) (b Block, err error) { return b, r.Scan(&b) }, selectBlocks, number, other)
	if err != nil {
		return "", fmt.Errorf("find block: %w", err)
	}
	block = BlockNone
	for _, b := range blocks {
		if slices.Index(Blocks(), b) > slices.Index(Blocks(), block) {
			block = b
		}
	}
	return block, nil
}

// announceBlock announces the query of findBlock.
func announceBlock(tx *db.Tx, number string, customer account.Account) error {
	if err := tx.Ahead(selectBlocks, number, db.TextOf(customer.Phone())); err != nil {
		return fmt.Errorf("find block: %w", err)
	}
	return nil
}

// findPhones returns the phone numbers of orders.
func findPhones(tx *db.Tx, orderIDs []string) (phones []string, err error) {
	for chunk := range db.Chunks(orderIDs) {
		list, args := db.InList(chunk)
		found, err := db.Query(tx, db.ScanText, `
			SELECT DISTINCT customer_phone
			FROM orders
			WHERE customer_phone <> '' AND id IN `+list, args...)
		if err != nil {
			return nil, fmt.Errorf("find phone numbers of orders: %w", err)
		}
		phones = append(phones, found...)
	}
	return distinct(phones), nil
}

// FindOwnContacts returns the staff's records of the buyer's own phone number, and of numbers with
// which only the buyer has ordered.
func FindOwnContacts(tx *db.Tx, buyer account.Account, orderIDs []string) ([]ExportedContact, error) {
	own := ownPhone(buyer)
	phones, err := findPhones(tx, orderIDs)
	if err != nil {
		return nil, err
	}
	contacts := []ExportedContact{}
	for _, number := range distinct(append([]string{own}, phones...)) {
		row, err := findContactRow(tx, number)
		if err != nil {
			return nil, err
		}
		record, err := findCourierRecord(tx, number, 0)
		if err != nil {
			return nil, err
		}
		if row.isEmpty() && record.answeredAt == nil {
			continue
		}
		ids, err := db.Query(tx, db.ScanText, `
			SELECT id
			FROM orders
			WHERE customer_phone = ?`, number)
		if err != nil {
			return nil, fmt.Errorf("find orders of contact: %w", err)
		}
		isOther := func(id string) bool { return !slices.Contains(orderIDs, id) }
		if number == own || !slices.ContainsFunc(ids, isOther) {
			contacts = append(contacts, ExportedContact{
				PhoneNumber: number, Note: db.NullText(row.note), Tags: db.OrEmpty(row.tags), Blocked: row.blocked, BlockedReason: db.NullText(row.reason),
				CourierRecord: record.view(),
			})
		}
	}
	return contacts, nil
}

// findGuestOrders returns the sums of a guest's orders, or db.ErrNotFound if there are none.
func findGuestOrders(tx *db.Tx, phone string, currency money.Currency) (*GuestOrders, error) {
	var guest GuestOrders
	var sums Purchases
	err := tx.QueryRow(`
		SELECT name, orders, spent, last_order_at
		FROM contacts
		WHERE phone = ? AND orders > 0`, phone).Scan(&guest.Name, &sums.Orders, &sums.Spent, &sums.LastAt)
	if err != nil {
		return nil, fmt.Errorf("find orders of a guest: %w", err)
	}
	guest.Orders, guest.Spent, guest.LastOrderAt = sums.Orders, currency.Money(sums.Spent), sums.LastOrderAt()
	return &guest, nil
}

// maxGuestAddresses limits the addresses of a guest.
const maxGuestAddresses = 10

// findGuestAddresses returns the addresses of a phone number's orders without an account, newest
// first. Orders placed in sandbox mode do not count.
func findGuestAddresses(tx *db.Tx, phone string) ([]account.Address, error) {
	addresses, err := db.Query(tx, func(r db.Row) (a account.Address, err error) {
		var line2, area, postcode, country string
		var newest int64
		err = r.Scan(&a.Line1, &line2, &area, &a.City, &postcode, &country, &newest)
		a.Line2, a.Area, a.Postcode, a.Country = db.NullText(line2), db.NullText(area), db.NullText(postcode), db.NullText(country)
		return a, err
	}, `
		SELECT o.line1, o.line2, o.area, o.city, o.postcode, o.country, MAX(o.placed_at)
		FROM orders o
		WHERE o.customer_phone = ? AND o.customer_id IS NULL AND o.test = 0 AND o.line1 <> ''
		GROUP BY o.line1, o.line2, o.area, o.city, o.postcode, o.country
		ORDER BY MAX(o.placed_at) DESC, o.line1, o.line2, o.area, o.city, o.postcode, o.country
		LIMIT ?`, phone, maxGuestAddresses)
	if err != nil {
		return nil, fmt.Errorf("find addresses of a guest: %w", err)
	}
	return db.OrEmpty(addresses), nil
}

// ownPhone returns a buyer's own number: the verified number of an account, or the number of a
// guest's orders. "" means none.
func ownPhone(buyer account.Account) string {
	if buyer.IsGuest() {
		return db.TextOf(buyer.Phone())
	}
	return db.TextOf(buyer.VerifiedPhone())
}

// eraseContacts erases the incomplete orders and the staff's records of phone numbers without
// remaining orders, and of the buyer's own number, and returns these numbers. A block stays,
// without its reason: erasing a person must not unblock them.
func eraseContacts(tx *db.Tx, own string, phones []string) (erased []string, err error) {
	for _, number := range distinct(append(phones, own)) {
		if number == "" {
			continue
		}
		var used bool
		err := tx.QueryRow(`
			SELECT EXISTS (
				SELECT 1
				FROM orders
				WHERE customer_phone = ?)`, number).Scan(&used)
		if err != nil {
			return nil, fmt.Errorf("find orders of contact: %w", err)
		}
		if used && number != own {
			continue
		}
		if err := eraseCourierRecords(tx, number); err != nil {
			return nil, err
		}
		if err := eraseIncomplete(tx, number); err != nil {
			return nil, err
		}
		row, err := findContactRow(tx, number)
		if err != nil {
			return nil, err
		}
		row.note, row.tags, row.reason = "", nil, ""
		if err := saveContact(tx, row); err != nil {
			return nil, err
		}
		erased = append(erased, number)
	}
	return erased, nil
}
