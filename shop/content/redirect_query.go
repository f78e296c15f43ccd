package content

import (
	"fmt"

	"storefront/db"
	"storefront/shop/page"
)

// findRedirect returns the target of a redirect. The error is db.ErrNotFound if there is none.
func findRedirect(tx *db.Tx, from string) (to string, err error) {
	err = tx.QueryRow(`
		SELECT target
		FROM redirects
		WHERE source = ?`, from).Scan(&to)
	if err != nil {
		return "", fmt.Errorf("find redirect: %w", err)
	}
	return to, nil
}

func saveRedirect(tx *db.Tx, r Redirect) error {
	err := tx.Do(`
		INSERT INTO redirects (source, target)
		VALUES (?, ?)
		ON CONFLICT (source) DO UPDATE SET target = excluded.target`, r.From, r.To)
	if err != nil {
		return fmt.Errorf("save redirect: %w", err)
	}
	return nil
}

func deleteRedirect(tx *db.Tx, from string) error {
	err := tx.Do(`
		DELETE FROM redirects
		WHERE source = ?`, from)
	if err != nil {
		return fmt.Errorf("delete redirect: %w", err)
	}
	return nil
}

// countRedirects counts the redirects from addresses that begin with a text.
func countRedirects(tx *db.Tx, beginning string) (count page.Count, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM redirects
		WHERE source >= ? AND source < ?`, beginning, beginning+"\U0010FFFF").Scan(&count.Total)
	if err != nil {
		return count, fmt.Errorf("count redirects: %w", err)
	}
	return count, nil
}

func findRedirects(tx *db.Tx, beginning string, w page.Window) ([]Redirect, error) {
	query, args := `
		SELECT source, target
		FROM redirects
		WHERE source >= ? AND source < ?
		ORDER BY source`, []any{beginning, beginning + "\U0010FFFF"}
	if w.Limit != page.NoLimit {
		query, args = query+" LIMIT ? OFFSET ?", append(args, w.Limit, w.Offset())
	}
	scan := func(row db.Row) (r Redirect, err error) {
		err = row.Scan(&r.From, &r.To)
		return r, err
	}
	found, err := db.Query(tx, scan, query, args...)
	if err != nil {
		return nil, fmt.Errorf("find redirects: %w", err)
	}
	return found, nil
}
