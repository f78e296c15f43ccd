package admin

import (
	"context"

	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/page"
)

func mediaOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listMedia", Path: "media", Tag: tagProducts, Use: access.ToListMedia, List: true,
			Summary:     "List uploaded images, newest first",
			Description: "With the number of products and collections that show each.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			Unused bool   `query:"unused" doc:"Only images that nothing shows"`
			Search string `query:"search" doc:"The beginnings of words of the text alternative"`
		}) (*page.List[catalogue.Media], error) {
			return in.shop().Catalogue.ListMedia(ctx, in.caller(), catalogue.MediaFilter{Request: in.page(), Unused: in.Unused, Search: in.Search})
		}),
	}
}
