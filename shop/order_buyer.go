package shop

import (
	"fmt"

	"storefront/db"
	"storefront/shop/access"
)

// findBuyerOrderIDs returns the IDs of an account's orders and of orders that guests placed with a
// phone number. An empty customerID or guestPhone matches no order.
func findBuyerOrderIDs(tx *db.Tx, customerID, guestPhone string) ([]string, error) {
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

// hasOpenOrders reports whether one of the orders that findBuyerOrderIDs returns is neither
// completed nor closed.
func hasOpenOrders(tx *db.Tx, customerID, guestPhone string) (open bool, err error) {
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

// findBuyerOrders returns orders by ID as their buyer sees them.
func findBuyerOrders(tx *db.Tx, ids []string, display Display) ([]Order, error) {
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

// exportBuyerOrders returns orders by ID as staff see them, and the notes about them.
func exportBuyerOrders(tx *db.Tx, ids []string, display Display) ([]Order, []ExportedNote, error) {
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

// findLatestOfCustomer returns the latest orders of an account, none if the caller may not view
// orders.
func findLatestOfCustomer(tx *db.Tx, who access.Staff, customerID string) (*orderRows, error) {
	return findLatestOrders(tx, who, orderQuery{customerID: customerID})
}
