package browsertest

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// PDF prints the page to a PDF, on paper of the size in its style sheet.
func (p *Page) PDF() []byte {
	p.tb.Helper()
	return do(p, page.PrintToPDF.Method, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		result, err := cdp.Call(ctx, t, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true), PrintBackground: new(true)})
		return result.Data, err
	})
}
