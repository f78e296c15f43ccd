package admin

import (
	"bytes"
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/content"
	"storefront/shop/fault"
	"storefront/shop/page"
)

func siteOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listRedirects", Path: "redirects", Tag: tagSite, Use: access.ToListRedirects, List: true,
			Summary:     "List redirects by the address that they lead from",
			Description: "A redirect leads from an address without a page, such as one of an earlier site.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			content.RedirectFilter
		}) (*page.List[content.Redirect], error) {
			in.Request = in.page()
			return in.shop().Content.ListRedirects(ctx, in.caller(), in.RedirectFilter)
		}),

		define(Operation{
			ID: "saveRedirect", Method: http.MethodPut, Path: "redirects", Tag: tagSite, Use: access.ToSaveRedirect,
			Summary: "Create a redirect, or change its target",
			Description: "Visitors of from are sent to the target with the status 301, unless the site has a page there. " +
				"A target must not be redirected itself. A shop has at most 10,000 redirects.",
			Example: content.Redirect{From: "/product-page/tea", To: "/products/tea"},
			Codes:   []fault.Code{fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			Body content.Redirect
		}) (*content.Redirect, error) {
			return in.shop().Content.SaveRedirect(ctx, in.caller(), in.Body)
		}),

		define(Operation{
			ID: "deleteRedirect", Method: http.MethodDelete, Path: "redirects", Tag: tagSite, Use: access.ToDeleteRedirect,
			Summary: "Delete a redirect",
			Codes:   []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			From string `query:"from" required:"true" doc:"The address that the redirect leads from" example:"/product-page/tea"`
		}) (*Done, error) {
			return done(in.shop().Content.DeleteRedirect(ctx, in.caller(), in.From))
		}),

		define(Operation{
			ID: "importRedirects", Method: http.MethodPost, Path: "imports/redirects",
			Tag: tagSite, Use: access.ToImportRedirects, CSV: true, Idempotent: true,
			Summary: "Import redirects from a file",
			Description: "The body is a CSV file with the columns from and to, or Redirect from and Redirect to, as Shopify exports " +
				"them. All its redirects are saved or, if one has a problem, none. With dryRun nothing is written.",
			Codes: []fault.Code{fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			DryRun  bool   `query:"dryRun" doc:"Return the counts and write nothing"`
			RawBody []byte `contentType:"text/csv"`
		}) (*content.RedirectImport, error) {
			return in.shop().Content.ImportRedirects(ctx, in.caller(), bytes.NewReader(in.RawBody), in.DryRun)
		}),
	}
}
