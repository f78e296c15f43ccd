package shop

import (
	"cmp"
	"context"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// LogoURL returns the URL of the shop's logo, "" if it has none: the uploaded image of the setting
// brand, otherwise the setting logoUrl.
func (s *Shop) LogoURL(ctx context.Context) (string, error) {
	c, err := s.loadSettings(ctx)
	if err != nil {
		return "", err
	}
	return c.logo.URL, nil
}

// findLogo returns the logo that settings name.
func findLogo(tx *db.Tx, set *Settings, address catalogue.MediaAddress) (catalogue.Logo, error) {
	linked := catalogue.Logo{URL: set.LogoURL}
	if set.Brand.LogoID == "" {
		return linked, nil
	}
	uploaded, err := catalogue.FindLogo(tx, set.Brand.LogoID, address)
	return cmp.Or(uploaded, linked), err
}

// useLogo marks the uploaded image that settings name as used, so that it is not deleted. Codes:
// validation_failed.
func useLogo(tx *db.Tx, set *Settings) error {
	if set.Brand.LogoID == "" {
		return nil
	}
	err := catalogue.UseMedia(tx, set.Brand.LogoID)
	if fault.HasCode(err, fault.CodeNotFound) {
		var bad fault.Invalid
		bad.Add("brand.logoId", fault.CodeInvalidValue, "Must be the _id of an uploaded image: upload it first.")
		return bad.Err()
	}
	return err
}
