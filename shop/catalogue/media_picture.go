package catalogue

import (
	"fmt"
	"strings"

	"storefront/db"
)

// pictureWidth is the smallest width of the files of an uploaded image, in pixels.
const pictureWidth = 160

// FindPictures returns a small file of each uploaded image in stored URLs, by URL: at least 160
// pixels wide unless the image is narrower. URLs of other hosts and of images without files are
// omitted.
func FindPictures(tx *db.Tx, address MediaAddress, stored []string) (map[string]Rendition, error) {
	urls := map[string][]string{} // by ID
	var ids []string
	for _, url := range stored {
		id := ""
		if strings.HasPrefix(url, mediaScheme) {
			id = mediaIDOf(url)
		}
		if id == "" {
			continue
		}
		if urls[id] == nil {
			ids = append(ids, id)
		}
		urls[id] = append(urls[id], url)
	}
	pictures := map[string]Rendition{}
	for part := range db.Chunks(ids) {
		list, args := db.InList(part)
		err := tx.Each(`
			SELECT m.id, m.format, m.renditions
			FROM media m
			WHERE m.purging = 0 AND m.id IN `+list, args, func(r db.Row) error {
			var id, format, text string
			if err := r.Scan(&id, &format, &text); err != nil {
				return err
			}
			sizes, err := parseSizes(text)
			if err != nil {
				return err
			}
			for i, file := range renditions(address, id, format, sizes) { // the largest first
				for _, url := range urls[id] {
					if i == 0 || file.Width >= pictureWidth {
						pictures[url] = file
					}
				}
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("find pictures: %w", err)
		}
	}
	return pictures, nil
}
