package design

import (
	"fmt"

	"storefront/db"
)

// AdoptTemplate prepares copied designs for a new shop: the draft and the published version. The
// earlier versions, the names of their authors and the images of both are deleted.
func AdoptTemplate(tx *db.Tx) error {
	for _, query := range []string{
		`DELETE FROM designs
		WHERE version NOT IN (0, COALESCE((SELECT MAX(version) FROM designs), 0))`,
		`UPDATE designs
		SET author = ''`,
		`DELETE FROM design_images
		WHERE owner NOT IN (SELECT 'design ' || version FROM designs)
			AND owner NOT IN (SELECT 'landing ' || slug FROM landing_pages)`,
	} {
		if _, err := tx.Exec(query); err != nil {
			return fmt.Errorf("adopt designs of a template: %w", err)
		}
	}
	return nil
}
