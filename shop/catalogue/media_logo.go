package catalogue

import (
	"fmt"

	"storefront/db"
	"storefront/shop/fault"
)

// mediaIsLogo is the condition on an uploaded image m that it is the shop's logo, in the setting
// brand. An ID has no character that LIKE or JSON would treat differently.
const mediaIsLogo = `EXISTS (SELECT 1 FROM settings s WHERE s.key = 'brand' AND s.value LIKE '%"logoId":"' || m.id || '"%')`

// logoWidth is the greatest width of the logo's file. Every uploaded image has that width, unless
// it is smaller.
const logoWidth = 640

// UseMedia marks an uploaded image as used by the setting brand, in its transaction. Codes:
// not_found.
func UseMedia(tx *db.Tx, id string) error { return useMedia(tx, id) }

// Logo is the picture of a shop's logo.
type Logo struct {
	URL           string // "" means none
	Width, Height int    // of the uploaded image, in pixels; 0 means unknown
}

// FindLogo returns the logo's file of an uploaded image; none if there is no such image.
func FindLogo(tx *db.Tx, id string, address MediaAddress) (Logo, error) {
	row, err := requireMedia(tx, id)
	switch {
	case fault.HasCode(err, fault.CodeNotFound):
		return Logo{}, nil
	case err != nil:
		return Logo{}, fmt.Errorf("find logo: %w", err)
	}
	return Logo{address.resolveWithin(row.stored(), logoWidth), row.width, row.height}, nil
}
