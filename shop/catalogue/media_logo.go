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

// FindLogo returns the URL of the logo's file of an uploaded image; "" if there is no such image.
func FindLogo(tx *db.Tx, id string, address MediaAddress) (string, error) {
	row, err := requireMedia(tx, id)
	switch {
	case fault.HasCode(err, fault.CodeNotFound):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("find logo: %w", err)
	}
	return address.resolveWithin(row.stored(), logoWidth), nil
}
