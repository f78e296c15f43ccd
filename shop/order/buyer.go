package order

import (
	"context"
	"encoding/hex"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/throttle"
)

// FindBuyerOrderIDs returns the IDs of an account's orders and of orders that guests placed with a
// phone number. An empty customerID or guestPhone matches no order.
func FindBuyerOrderIDs(tx *db.Tx, customerID, guestPhone string) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, `
		SELECT id
		FROM orders
		WHERE customer_id = ? OR customer_id IS NULL AND customer_phone = ? AND customer_phone <> ''
		ORDER BY placed_at, number`, customerID, guestPhone)
	if err != nil {
		return nil, fmt.Errorf("find orders: %w", err)
	}
	return ids, nil
}

// HasOpenOrders reports whether one of the orders that FindBuyerOrderIDs returns is neither
// completed nor closed.
func HasOpenOrders(tx *db.Tx, customerID, guestPhone string) (open bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM orders
			WHERE (customer_id = ? OR customer_id IS NULL AND customer_phone = ? AND customer_phone <> '')
				AND status IN ('pending', 'pending_payment', 'confirmed', 'processing'))`, customerID, guestPhone).Scan(&open)
	if err != nil {
		return false, fmt.Errorf("find open orders: %w", err)
	}
	return open, nil
}

// FindBuyerOrders returns orders by ID as their buyer sees them.
func FindBuyerOrders(tx *db.Tx, ids []string, display Display) ([]Order, error) {
	rows, err := findOrderRows(tx, ids)
	orders := make([]Order, len(rows))
	for i, o := range rows {
		orders[i] = o.view(display, viewOwner)
	}
	return orders, err
}

// ExportedNote is a note about an order, in an export of a buyer's data.
type ExportedNote struct {
	OrderID string `json:"orderId"`
	Note
}

// ExportBuyerOrders returns orders by ID as staff see them, and the notes about them.
func ExportBuyerOrders(tx *db.Tx, ids []string, display Display) ([]Order, []ExportedNote, error) {
	rows, err := findOrderRows(tx, ids)
	if err != nil {
		return nil, nil, err
	}
	orders, exported := make([]Order, len(rows)), []ExportedNote{}
	for i, o := range rows {
		orders[i] = o.view(display, viewStaff)
		notes, err := findNotes(tx, o.number)
		if err != nil {
			return nil, nil, err
		}
		for _, n := range notes {
			exported = append(exported, ExportedNote{o.id, n})
		}
	}
	return orders, exported, nil
}

// FindLatestOfCustomer returns the latest orders of an account, none if the caller may not view
// orders.
func FindLatestOfCustomer(tx *db.Tx, who access.Staff, customerID string) (*Rows, error) {
	return findLatestOrders(tx, who, orderQuery{customerID: customerID})
}

// Subjects are the subjects of customers and guests in the audit log.
type Subjects struct{ source throttle.Source }

// BuyerSubjects returns the subjects of the shop's buyers.
func (s *Orders) BuyerSubjects(ctx context.Context) (Subjects, error) {
	keys, err := s.cfg.Secrets.Keys(ctx)
	if err != nil {
		return Subjects{}, err
	}
	return Subjects{throttle.NewSource(keys.Throttle)}, nil
}

// Of returns the subject of an account or a guest. A guest has no ID: a keyed hash of the phone
// number shows which entries concern the same guest, and does not contain the number.
func (b Subjects) Of(row account.Account) access.Subject {
	if row.IsGuest() {
		hash := b.source.Hash("audit subject", db.TextOf(row.Phone()))
		return access.Subject{Kind: access.SubjectGuest, ID: "guest-" + hex.EncodeToString(hash)}
	}
	return access.Subject{Kind: access.SubjectCustomer, ID: row.ID()}
}

// Named is [Subjects.Of] with the buyer's name. An erased person has no name.
func (b Subjects) Named(tx *db.Tx, row account.Account) (access.Subject, error) {
	subject := b.Of(row)
	if subject.Label = row.Name(); subject.Label != "" {
		return subject, nil
	}
	contact, err := FindContact(tx, db.TextOf(row.Phone()))
	if err != nil {
		return subject, err
	}
	if len(contact.Names) > 0 {
		subject.Label = contact.Names[0]
	}
	return subject, nil
}
