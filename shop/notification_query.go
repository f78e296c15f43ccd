package shop

import (
	"errors"
	"fmt"
	"strings"

	"storefront/db"
	"storefront/shop/order"
)

// notifiedOrder is the data of an order for notifications.
type notifiedOrder struct {
	number, total int64
	city          string
	image         string // of its first line
	test          bool
}

// findNotifiedOrder returns an order; nil if there is none.
func findNotifiedOrder(tx *db.Tx, id string) (*notifiedOrder, error) {
	var o notifiedOrder
	var test int64
	err := tx.QueryRow(`
		SELECT number, total, city, test,
			COALESCE((SELECT image_url FROM order_items i WHERE i.order_number = orders.number ORDER BY i.position LIMIT 1), '')
		FROM orders
		WHERE id = ?`, id).Scan(&o.number, &o.total, &o.city, &test, &o.image)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find order of notification: %w", err)
	}
	o.test = test != 0
	return &o, nil
}

// notifiedVariant is the data of a variant for notifications.
type notifiedVariant struct{ product, options, image string }

// findNotifiedVariant returns a variant; nil if there is none.
func findNotifiedVariant(tx *db.Tx, id string) (*notifiedVariant, error) {
	var of notifiedVariant
	var options [3]string
	err := tx.QueryRow(`
		SELECT p.title, v.option1, v.option2, v.option3, `+order.VariantImage+`
		FROM variants v
		JOIN products p ON p.id = v.product_id
		WHERE v.id = ?`, id).Scan(&of.product, &options[0], &options[1], &options[2], &of.image)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find variant of notification: %w", err)
	}
	var values []string
	for _, value := range options {
		if value != "" {
			values = append(values, value)
		}
	}
	of.options = strings.Join(values, " / ")
	return &of, nil
}

// findEndpointLabel returns the label of a webhook endpoint; "" if there is none.
func findEndpointLabel(tx *db.Tx, id string) (label string, err error) {
	err = tx.QueryRow(`
		SELECT label
		FROM webhook_endpoints
		WHERE id = ?`, id).Scan(&label)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return "", fmt.Errorf("find webhook endpoint of notification: %w", err)
	}
	return label, nil
}
