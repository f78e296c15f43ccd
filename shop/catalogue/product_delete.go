package catalogue

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// DeleteProduct removes the draft or archived product with this handle or ID, with its variants and
// their stock history. Orders are not affected: they have copies of the bought items. Codes:
// not_found, state_conflict (it is active, or an import that creates it is under way).
func (c *Catalogue) DeleteProduct(ctx context.Context, caller access.Caller, product string) error {
	return c.DeleteProductIf(ctx, caller, product, nil)
}

// DeleteProductIf is [Catalogue.DeleteProduct] on condition that check accepts the product; nil
// accepts any. Codes: as for DeleteProduct, and check's.
func (c *Catalogue) DeleteProductIf(ctx context.Context, caller access.Caller, product string, check func(ProductRecord) error) error {
	shown, err := c.display(ctx)
	if err != nil {
		return err
	}
	return access.Do(ctx, c.data, caller, access.ToDeleteProduct, func(tx *db.Tx, who access.Staff) error {
		row, err := findAnyProduct(tx, product)
		if err != nil {
			return err
		}
		if err := access.Accept(check, row.record(who, shown)); err != nil {
			return err
		}
		if err := row.checkDelete(); err != nil {
			return err
		}
		if err := deleteProduct(tx, row); err != nil {
			return err
		}
		deleted := outbox.Event{Type: outbox.ProductDeleted, Subject: row.id, Data: outbox.Data{Costs: row.changesCosts(&productRow{})}}
		if err := outbox.Append(tx, deleted); err != nil {
			return err
		}
		return who.Audit(tx, row.subject())
	})
}

// checkDelete checks that the product may be deleted because it is not active. Codes:
// state_conflict.
func (p *productRow) checkDelete() error {
	if p.status != ProductActive {
		return nil
	}
	return fault.StatusConflict(p.status, "The product is active, and only drafts and archived products can be deleted: archive it first.")
}
