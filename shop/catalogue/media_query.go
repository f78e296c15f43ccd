package catalogue

import (
	"fmt"

	"storefront/db"
	"storefront/shop/page"
)

// mediaVisible is the condition on an uploaded image m that it is in the library.
const mediaVisible = `m.deleted_at IS NULL AND m.purging = 0`

// mediaUnused is the condition on an uploaded image m that nothing shows it.
const mediaUnused = `NOT EXISTS (SELECT 1 FROM images i WHERE i.media_id = m.id)
			AND NOT EXISTS (SELECT 1 FROM collections c WHERE c.media_id = m.id)`

const mediaColumns = `m.id, m.alt, m.width, m.height, m.bytes, m.format, m.renditions, m.created_at,
			(SELECT COUNT(*) FROM images i WHERE i.media_id = m.id) + (SELECT COUNT(*) FROM collections c WHERE c.media_id = m.id)`

func scanMedia(r db.Row) (m mediaRow, err error) {
	var sizes string
	if err := r.Scan(&m.id, &m.alt, &m.width, &m.height, &m.bytes, &m.format, &sizes, &m.createdAt, &m.usedBy); err != nil {
		return m, err
	}
	m.sizes, err = parseSizes(sizes)
	return m, err
}

// list returns one page of the images and their number.
func (q *mediaQuery) list(tx *db.Tx) (rows []mediaRow, total int, err error) {
	if q.noMatch {
		return nil, 0, nil
	}
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM media m
		WHERE `+q.where, q.args...).Scan(&total)
	if err != nil {
		return nil, 0, fmt.Errorf("count images: %w", err)
	}
	query := `
		SELECT ` + mediaColumns + `
		FROM media m
		WHERE ` + q.where + `
		ORDER BY m.created_at DESC, m.id DESC`
	args := q.args
	if q.window.Limit != page.NoLimit {
		query += onePage
		args = append(args, q.window.Limit, q.window.Offset())
	}
	if rows, err = db.Query(tx, scanMedia, query, args...); err != nil {
		return nil, 0, fmt.Errorf("list images: %w", err)
	}
	return rows, total, nil
}
