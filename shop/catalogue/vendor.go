package catalogue

import (
	"context"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// Vendor is a manufacturer or brand of published products.
type Vendor struct {
	Name         string `json:"name" doc:"As in the field vendor of its products"`
	ProductCount int    `json:"productCount" doc:"Number of its published products"`
}

// ListVendors returns one page of the vendors of published products, by name. Codes:
// validation_failed.
func (c *Catalogue) ListVendors(ctx context.Context, request page.Request) (*page.Page[Vendor], error) {
	var bad fault.Invalid
	window := request.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	var list []Vendor
	var total int
	err := c.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if total, err = countVendors(tx); err != nil {
			return err
		}
		list, err = findVendors(tx, window)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &page.Page[Vendor]{Nodes: db.OrEmpty(list), Meta: window.MetaFor(total)}, nil
}
