package demo

import (
	"context"
	_ "embed"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/design"
)

//go:embed landing.json
var landing string

// seedLandingPage creates a landing page, unless the shop has one.
func seedLandingPage(ctx context.Context, s *shop.Shop, caller access.Caller) error {
	all, err := s.Designs.ListLandingPages(ctx, caller)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		return nil
	}
	_, err = s.Designs.SaveLandingPage(ctx, caller, decode[design.LandingPage](landing), nil)
	return err
}
