package catalogue

import (
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/page"
)

const stockColumns = `v.id, v.product_id, p.title, v.option1, v.option2, v.option3, v.sku, v.tracked, v.backorder, v.stock, v.low_stock`

const selectStock = `
	SELECT ` + stockColumns + `
	FROM variants v
	JOIN products p ON p.id = v.product_id
	`

func scanStock(r db.Row) (*stockRow, error) {
	s := new(stockRow)
	return s, r.Scan(&s.id, &s.productID, &s.title, &s.options[0], &s.options[1], &s.options[2], &s.sku,
		&s.tracked, &s.backorder, &s.stock, &s.lowStock)
}

// findStock finds a variant by its id or its SKU. Codes: not_found, state_conflict.
func findStock(tx *db.Tx, variant string) (*stockRow, error) {
	for _, column := range []string{"v.id", "v.sku"} {
		if variant == "" {
			break
		}
		rows, err := db.Query(tx, scanStock, selectStock+`
			WHERE `+column+` = ? AND `+notHidden+`
			LIMIT 2`, variant)
		if err != nil {
			return nil, fmt.Errorf("find stock: %w", err)
		}
		switch len(rows) {
		case 1:
			return rows[0], nil
		case 2:
			return nil, fault.Errorf(fault.CodeStateConflict, "Several variants have the SKU %s: use the _id of one of them.", variant)
		}
	}
	return nil, fault.Errorf(fault.CodeNotFound, "No variant has this _id or SKU.")
}

// findStockImages returns the stored URL of each variant's picture, or else of its product's first,
// by the variant's ID.
func findStockImages(tx *db.Tx, rows []*stockRow) (map[string]string, error) {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.id
	}
	urls := map[string]string{}
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		err := tx.Each(`
			SELECT v.id, i.url
			FROM variants v
			JOIN images i ON i.product_id = v.product_id
			WHERE (i.id = v.image_id OR v.image_id IS NULL AND i.position = 1) AND v.id IN `+list, args,
			func(r db.Row) error {
				var id, url string
				err := r.Scan(&id, &url)
				urls[id] = url
				return err
			})
		if err != nil {
			return nil, fmt.Errorf("load pictures of stock: %w", err)
		}
	}
	return urls, nil
}

func updateStock(tx *db.Tx, r *stockRow) error {
	_, err := tx.Exec(`
		UPDATE variants
		SET tracked = ?, backorder = ?, stock = ?, low_stock = ?
		WHERE id = ?`, db.BoolInt(r.tracked), db.BoolInt(r.backorder), r.stock, r.lowStock, r.id)
	if err != nil {
		return fmt.Errorf("save stock: %w", err)
	}
	return TouchProduct(tx, r.productID)
}

// findStocksBy returns the variants with one of the values in a column, by value.
func findStocksBy(tx *db.Tx, column string, values []string, key func(*stockRow) string) (map[string][]*stockRow, error) {
	found := make(map[string][]*stockRow, len(values))
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	for part := range db.Chunks(values) {
		list, args := db.InList(part)
		rows, err := db.Query(tx, scanStock, selectStock+`
			WHERE `+column+` IN `+list+` AND `+notHidden, args...)
		if err != nil {
			return nil, fmt.Errorf("find stocks: %w", err)
		}
		for _, row := range rows {
			found[key(row)] = append(found[key(row)], row)
		}
	}
	return found, nil
}

// updateStocks sets stocks, each with the ID of its variant.
func updateStocks(tx *db.Tx, stocks [][]any) error {
	_, err := tx.ExecEach(`
		UPDATE variants
		SET stock = ?
		WHERE id = ?`, stocks)
	if err != nil {
		return fmt.Errorf("save stocks: %w", err)
	}
	return nil
}

func countMovements(tx *db.Tx, variantID string) (total int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM stock_movements
		WHERE variant_id = ?`, variantID).Scan(&total)
	if err != nil {
		return 0, fmt.Errorf("count stock movements: %w", err)
	}
	return total, nil
}

// findMovements returns a window of a variant's movements, newest first, each with the stock after
// it.
func findMovements(tx *db.Tx, variantID string, w page.Window) ([]StockMovement, error) {
	query := `
		SELECT m.at, m.delta, SUM(m.delta) OVER (ORDER BY m.id), m.reason, o.id, m.note
		FROM stock_movements m
		LEFT JOIN orders o ON o.number = m.order_number
		WHERE m.variant_id = ?
		ORDER BY m.id DESC`
	args := []any{variantID}
	if w.Limit != page.NoLimit {
		query += `
		LIMIT ? OFFSET ?`
		args = append(args, w.Limit, w.Offset())
	}
	movements, err := db.Query(tx, func(r db.Row) (m StockMovement, err error) {
		var at int64
		var note string
		err = r.Scan(&at, &m.Delta, &m.Balance, &m.Reason, &m.InvoiceUID, &note)
		m.At, m.Note = db.FromMillis(at), db.NullText(note)
		return m, err
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("find stock movements: %w", err)
	}
	return movements, nil
}

const lowStockCondition = `v.tracked = 1 AND v.stock <= v.low_stock AND p.status <> 'archived' AND ` + notHidden

// CountShortStock returns the numbers of low and of sold-out variants.
func CountShortStock(tx *db.Tx) (low, out int, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*) FILTER (WHERE `+stockFilters[FilterLowStock]+`), COUNT(*) FILTER (WHERE `+stockFilters[FilterOutOfStock]+`)
		FROM variants v
		JOIN products p ON p.id = v.product_id
		WHERE `+lowStockCondition).Scan(&low, &out)
	if err != nil {
		return 0, 0, fmt.Errorf("count variants that run short: %w", err)
	}
	return low, out, nil
}
