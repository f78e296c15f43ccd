package catalogue

import (
	"fmt"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/page"
	"storefront/shop/sequence"
)

// mediaVisible is the condition on an uploaded image m that it is in the library.
const mediaVisible = `m.deleted_at IS NULL AND m.purging = 0`

// mediaUnused is the condition on an uploaded image m that it is unused.
const mediaUnused = `NOT EXISTS (SELECT 1 FROM images i WHERE i.media_id = m.id)
			AND NOT EXISTS (SELECT 1 FROM collections c WHERE c.media_id = m.id)
			AND NOT EXISTS (SELECT 1 FROM design_images d WHERE d.media_id = m.id)
			AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.media_id = m.id)
			AND NOT ` + mediaIsLogo

const mediaColumns = `m.id, m.alt, m.width, m.height, m.bytes, m.format, m.renditions, m.colour, m.created_at, m.deleted_at IS NOT NULL, m.purging,
			(SELECT COUNT(*) FROM images i WHERE i.media_id = m.id) + (SELECT COUNT(*) FROM collections c WHERE c.media_id = m.id)
			+ CASE WHEN EXISTS (SELECT 1 FROM design_images d WHERE d.media_id = m.id) THEN 1 ELSE 0 END
			+ CASE WHEN EXISTS (SELECT 1 FROM reviews r WHERE r.media_id = m.id) THEN 1 ELSE 0 END
			+ CASE WHEN ` + mediaIsLogo + ` THEN 1 ELSE 0 END`

func scanMedia(r db.Row) (m mediaRow, err error) {
	var sizes string
	err = r.Scan(&m.id, &m.alt, &m.width, &m.height, &m.bytes, &m.format, &sizes, &m.colour, &m.createdAt, &m.deleted, &m.purging, &m.usedBy)
	if err != nil {
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

// findMediaRow returns an image, deleted or not. The error is db.ErrNotFound if there is none.
func findMediaRow(tx *db.Tx, id string) (mediaRow, error) {
	return scanMedia(tx.QueryRow(`
		SELECT `+mediaColumns+`
		FROM media m
		WHERE m.id = ?`, id))
}

// mediaFinder returns a function that finds images of the library. The function returns nil if
// there is none, and after a failure, which it stores.
func mediaFinder(tx *db.Tx, failure *error) func(id string) *mediaRow {
	found := map[string]*mediaRow{}
	return func(id string) *mediaRow {
		row, ok := found[id]
		if ok || *failure != nil {
			return row
		}
		m, err := requireMedia(tx, id)
		switch {
		case err == nil:
			row = &m
		case !fault.HasCode(err, fault.CodeNotFound):
			*failure = err
		}
		found[id] = row
		return row
	}
}

// useMedia marks an image of the library as used by a record, in the record's transaction. Codes:
// not_found (it was deleted in the meantime).
func useMedia(tx *db.Tx, id string) error {
	n, err := tx.Exec(`
		UPDATE media
		SET unused_at = NULL
		WHERE id = ? AND deleted_at IS NULL AND purging = 0`, id)
	if err == nil && n == 0 {
		err = errNoMedia()
	}
	if err != nil {
		return fmt.Errorf("use image: %w", err)
	}
	return nil
}

// insertMedia inserts an image unless the shop has it already.
func insertMedia(tx *db.Tx, m *mediaRow) (inserted bool, err error) {
	sizes, err := encodeFiles(m.sizes)
	if err != nil {
		return false, err
	}
	hashes, err := encodeFiles(m.hashes)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(`
		INSERT INTO media (id, alt, alt_key, width, height, bytes, format, renditions, colour, hashes, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`, m.id, m.alt, input.FoldKey(m.alt), m.width, m.height, m.bytes, m.format, sizes,
		m.colour, hashes, m.createdAt)
	if err != nil {
		return false, fmt.Errorf("insert image: %w", err)
	}
	return n == 1, nil
}

// replaceHashes stores the hashes of the files of an image that was uploaded again.
func replaceHashes(tx *db.Tx, m *mediaRow) error {
	hashes, err := encodeFiles(m.hashes)
	if err == nil {
		err = tx.Do(`
			UPDATE media
			SET hashes = ?
			WHERE id = ? AND hashes <> ?`, hashes, m.id, hashes)
	}
	if err != nil {
		return fmt.Errorf("replace hashes of an image: %w", err)
	}
	return nil
}

// restoreMedia returns a deleted image to the library, and restarts the time until an unused one is
// purged.
func restoreMedia(tx *db.Tx, id string) error {
	err := tx.Do(`
		UPDATE media
		SET deleted_at = NULL, unused_at = NULL
		WHERE id = ? AND (deleted_at IS NOT NULL OR unused_at IS NOT NULL)`, id)
	if err != nil {
		return fmt.Errorf("restore image: %w", err)
	}
	return nil
}

func updateMediaAlt(tx *db.Tx, m *mediaRow) error {
	err := tx.Do(`
		UPDATE media
		SET alt = ?, alt_key = ?
		WHERE id = ?`, m.alt, input.FoldKey(m.alt), m.id)
	if err != nil {
		return fmt.Errorf("update image: %w", err)
	}
	return nil
}

// lockMedia locks an image until the transaction ends: concurrent uses by records either wait, or
// are committed and visible to the following statements.
func lockMedia(tx *db.Tx, id string) error {
	err := tx.Do(`
		UPDATE media
		SET purging = purging
		WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("lock image: %w", err)
	}
	return nil
}

// markMediaDeleted removes an image from the library. If purging, its files are to be deleted now.
func markMediaDeleted(tx *db.Tx, id string, purging bool) error {
	now := db.Millis(tx.Now())
	err := tx.Do(`
		UPDATE media
		SET deleted_at = ?, unused_at = COALESCE(unused_at, ?), purging = ?
		WHERE id = ?`, now, now, db.BoolInt(purging), id)
	if err != nil {
		return fmt.Errorf("delete image: %w", err)
	}
	return nil
}

// sumMedia returns the number of images and the bytes of their files, deleted ones included.
func sumMedia(tx *db.Tx) (count int, bytes int64, err error) {
	err = tx.QueryRow(`
		SELECT COUNT(*), COALESCE(SUM(m.bytes), 0)
		FROM media m`).Scan(&count, &bytes)
	if err != nil {
		return 0, 0, fmt.Errorf("sum images: %w", err)
	}
	return count, bytes, nil
}

// purgeCounter counts the images whose files and row were deleted.
const purgeCounter = "media_purges"

// findPurges returns the number of purged images.
func findPurges(tx *db.Tx) (n int64, err error) {
	err = tx.QueryRow(`
		SELECT COALESCE((SELECT value FROM counters WHERE name = ?), 0)`, purgeCounter).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("find purges of images: %w", err)
	}
	return n, nil
}

// deleteMediaRow removes a purged image.
func deleteMediaRow(tx *db.Tx, id string) error {
	n, err := tx.Exec(`
		DELETE FROM media
		WHERE id = ? AND purging = 1`, id)
	if err == nil && n > 0 {
		_, err = sequence.RaiseCounter(tx, purgeCounter, 1, 0)
	}
	if err != nil {
		return fmt.Errorf("delete image: %w", err)
	}
	return nil
}

// markMediaUnused records the time since which an image is unused, and clears it for used images.
func markMediaUnused(tx *db.Tx) error {
	err := tx.Do(`
		UPDATE media AS m
		SET unused_at = ?
		WHERE m.unused_at IS NULL AND `+mediaUnused, db.Millis(tx.Now()))
	if err == nil {
		err = tx.Do(`
		UPDATE media AS m
		SET unused_at = NULL
		WHERE m.unused_at IS NOT NULL AND m.purging = 0 AND NOT (` + mediaUnused + `)`)
	}
	if err != nil {
		return fmt.Errorf("mark unused images: %w", err)
	}
	return nil
}

// postponeMedia restarts the time until an unused image is purged.
func postponeMedia(tx *db.Tx, id string) error {
	err := tx.Do(`
		UPDATE media
		SET unused_at = ?
		WHERE id = ? AND unused_at IS NOT NULL`, db.Millis(tx.Now()), id)
	if err != nil {
		return fmt.Errorf("postpone the purge of an image: %w", err)
	}
	return nil
}

// findPurging returns the IDs of images with files that are being deleted, or were when the program
// ended.
func findPurging(tx *db.Tx) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, `
		SELECT m.id
		FROM media m
		WHERE m.unused_at IS NOT NULL AND m.purging = 1
		ORDER BY m.id`)
	if err != nil {
		return nil, fmt.Errorf("find images to purge: %w", err)
	}
	return ids, nil
}

// findUnusedMedia returns the IDs of images that have been unused since before a time, in
// milliseconds.
func findUnusedMedia(tx *db.Tx, before int64, limit int) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, `
		SELECT m.id
		FROM media m
		WHERE m.unused_at <= ? AND m.purging = 0
		ORDER BY m.unused_at, m.id
		LIMIT ?`, before, limit)
	if err != nil {
		return nil, fmt.Errorf("find unused images: %w", err)
	}
	return ids, nil
}

// findOldestUnused returns the earliest time since which an image is unused; 0 if there is none.
func findOldestUnused(tx *db.Tx) (at int64, err error) {
	err = tx.QueryRow(`
		SELECT COALESCE(MIN(m.unused_at), 0)
		FROM media m
		WHERE m.unused_at IS NOT NULL`).Scan(&at)
	if err != nil {
		return 0, fmt.Errorf("find the oldest unused image: %w", err)
	}
	return at, nil
}

// anyMedia reports whether the shop has an image, deleted or not.
func anyMedia(tx *db.Tx) (exists bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM media m)`).Scan(&exists)
	if err != nil {
		return false, fmt.Errorf("find an image: %w", err)
	}
	return exists, nil
}
