package campaign

import (
	"encoding/json"
	"errors"
	"fmt"

	"storefront/db"
)

// Insert stores the attribution of an order, in its stored form. nil means that nothing is known.
func Insert(tx *db.Tx, orderNumber int64, a *Attribution) error {
	if a == nil {
		return nil
	}
	text, err := json.Marshal(a.Input())
	if err != nil {
		return fmt.Errorf("write attribution: %w", err)
	}
	first, last := KeyOf(a.First), KeyOf(a.Last)
	err = tx.Do(`
		INSERT INTO order_attributions (order_number, first_source, first_medium, first_campaign, last_source, last_medium, last_campaign,
			details)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		orderNumber, first.Source, first.Medium, first.Campaign, last.Source, last.Medium, last.Campaign, string(text))
	if err != nil {
		return fmt.Errorf("insert attribution: %w", err)
	}
	return nil
}

// Find returns the attribution of an order, nil if it has none.
func Find(tx *db.Tx, orderNumber int64) (*Attribution, error) {
	var text string
	err := tx.QueryRow("SELECT details FROM order_attributions WHERE order_number = ?", orderNumber).Scan(&text)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find attribution: %w", err)
	}
	return parse(text)
}

func parse(text string) (*Attribution, error) {
	var found AttributionInput
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return nil, fmt.Errorf("read attribution: %w", err)
	}
	a := &Attribution{First: (*Touch)(found.First), Last: (*Touch)(found.Last), Fbp: found.Fbp, Fbc: found.Fbc}
	if c := found.Consent; c != nil {
		a.Consent = &Consent{*c.At, c.Wording, c.Page} // stored ones have a time
	}
	return a, nil
}

// OrderAttribution is the attribution of an order.
type OrderAttribution struct {
	OrderID string  `json:"orderId" doc:"Invoice UID of the order"`
	First   *Touch  `json:"first" doc:"The first touch in the 30 days before the order"`
	Last    *Touch  `json:"last" doc:"The last touch before the order"`
	Fbp     *string `json:"fbp" doc:"The cookie _fbp of Meta's pixel; null if it is unknown or erased"`
	Fbc     *string `json:"fbc" doc:"The cookie _fbc of Meta's pixel; null if it is unknown or erased"`

	Consent *Consent `json:"consent" doc:"The buyer's consent that the order is reported to advertisers; null without consent"`
}

// FindOfOrders returns the attributions of orders by their invoice UIDs, oldest first.
func FindOfOrders(tx *db.Tx, ids []string) ([]OrderAttribution, error) {
	all := []OrderAttribution{}
	for part := range db.Chunks(ids) {
		list, args := db.InList(part)
		err := tx.Each(`
			SELECT o.id, a.details
			FROM orders o
			JOIN order_attributions a ON a.order_number = o.number
			WHERE o.id IN `+list+`
			ORDER BY o.number`, args, func(r db.Row) error {
			var id, text string
			if err := r.Scan(&id, &text); err != nil {
				return err
			}
			a, err := parse(text)
			if err == nil {
				all = append(all, OrderAttribution{id, a.First, a.Last, a.Fbp, a.Fbc, a.Consent})
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find attributions: %w", err)
		}
	}
	return all, nil
}

// Erase erases what recognizes the buyer or their browser in the attribution of an order. The
// campaigns and the proof of consent stay.
func Erase(tx *db.Tx, orderNumber int64) error {
	if err := DeleteBrowser(tx, orderNumber); err != nil {
		return err
	}
	a, err := Find(tx, orderNumber)
	if err != nil {
		return err
	}
	if a == nil {
		return nil
	}
	if a.Fbp, a.Fbc = nil, nil; a.Consent != nil {
		a.Consent.Page = nil
	}
	for _, t := range []*Touch{a.First, a.Last} {
		if t != nil {
			t.Fbclid, t.Referrer, t.Content, t.Term, t.Landing, t.At = nil, nil, nil, nil, nil, nil
		}
	}
	text, err := json.Marshal(a.Input())
	if err != nil {
		return fmt.Errorf("write attribution: %w", err)
	}
	if err := tx.Do("UPDATE order_attributions SET details = ? WHERE order_number = ?", string(text), orderNumber); err != nil {
		return fmt.Errorf("erase attribution: %w", err)
	}
	return nil
}
