package catalogue

import (
	"context"
	"fmt"

	"storefront/db"
)

// FindImages returns uploaded images by ID. IDs without one are omitted.
func (c *Catalogue) FindImages(ctx context.Context, ids []string) (map[string]Image, error) {
	found := map[string]Image{}
	if len(ids) == 0 {
		return found, nil
	}
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, err
	}
	err = c.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		for part := range db.Chunks(ids) {
			list, args := db.InList(part)
			rows, err := db.Query(tx, scanMedia, `
				SELECT `+mediaColumns+`
				FROM media m
				WHERE m.purging = 0 AND m.id IN `+list, args...)
			if err != nil {
				return fmt.Errorf("find images: %w", err)
			}
			for _, m := range rows {
				found[m.id] = Image{
					ID: m.id, URL: address.Resolve(m.stored()), Alt: m.alt, Width: &m.width, Height: &m.height,
					Renditions: renditions(address, m.id, m.format, m.sizes), Colour: m.colour,
				}
			}
		}
		return nil
	})
	return found, err
}
