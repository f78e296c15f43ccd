package catalogue

import (
	"encoding/json"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/input"
	"storefront/shop/sequence"
)

// productWriter writes the differences between two versions of a product.
type productWriter struct {
	tx     *db.Tx
	ids    *sequence.Source
	before *productRow // nil means a new product
	want   *productRow // the IDs of new rows are set when written
	reason string      // of stock movements
}

func (w *productWriter) write() error {
	old := w.before
	if old == nil {
		old = &productRow{}
	}
	if err := w.writeFields(); err != nil {
		return err
	}
	if err := w.writeImages(old); err != nil {
		return err
	}
	if err := w.writeVariants(old); err != nil {
		return err
	}
	if err := w.deleteMissing("images", imageIDs(old.images), imageIDs(w.want.images)); err != nil {
		return err
	}
	if !slices.Equal(old.tags, w.want.tags) {
		if err := w.writeTags(); err != nil {
			return err
		}
	}
	if err := w.writeCollections(old); err != nil {
		return err
	}
	return w.writeSearch(old)
}

func (w *productWriter) writeFields() error {
	p, now := w.want, db.Millis(w.tx.Now())
	options, err := json.Marshal(db.OrEmpty(p.options))
	if err != nil {
		return fmt.Errorf("encode options: %w", err)
	}
	p.updatedAt = now
	if w.before == nil {
		if p.id == "" {
			p.id = w.ids.Next(w.tx.Now())
		}
		p.createdAt = now
		_, err = w.tx.Exec(`
			INSERT INTO products (id, number, handle, status, title, title_key, description_html, vendor, type,
				options, seo_title, seo_description, metadata, price, price_max, on_sale, published_at, created_at, updated_at, revision)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			p.id, p.number, p.handle, string(p.status), p.title, input.FoldKey(p.title), p.descriptionHTML, p.vendor, p.kind,
			string(options), p.seoTitle, p.seoDescription, p.metadata, p.price, p.priceMax, db.BoolInt(p.onSale), p.publishedAt, now, now, now)
		return err
	}
	if p.sameFields(w.before) { // unchanged columns must not cost index updates
		_, err = w.tx.Exec(`
			UPDATE products
			SET updated_at = ?, `+raiseRevision+`
			WHERE id = ?`, now, now, now, p.id)
		return err
	}
	_, err = w.tx.Exec(`
		UPDATE products
		SET status = ?, title = ?, title_key = ?, description_html = ?, vendor = ?, type = ?, options = ?, seo_title = ?,
			seo_description = ?, metadata = ?, price = ?, price_max = ?, on_sale = ?, published_at = ?, updated_at = ?,
			`+raiseRevision+`
		WHERE id = ?`,
		string(p.status), p.title, input.FoldKey(p.title), p.descriptionHTML, p.vendor, p.kind, string(options), p.seoTitle,
		p.seoDescription, p.metadata, p.price, p.priceMax, db.BoolInt(p.onSale), p.publishedAt, now, now, now, p.id)
	return err
}

func (w *productWriter) writeImages(old *productRow) (err error) {
	for i := range w.want.images {
		image := &w.want.images[i]
		switch at := slices.IndexFunc(old.images, func(o imageRow) bool { return o.id == image.id }); {
		case image.id == "":
			image.id = w.ids.Next(w.tx.Now())
			_, err = w.tx.Exec(`
				INSERT INTO images (id, product_id, position, url, alt, width, height)
				VALUES (?, ?, ?, ?, ?, ?, ?)`,
				image.id, w.want.id, i+1, image.url, image.alt, image.width, image.height)
		case at != i || !image.equal(old.images[at]):
			_, err = w.tx.Exec(`
				UPDATE images
				SET position = ?, alt = ?, width = ?, height = ?
				WHERE id = ?`, i+1, image.alt, image.width, image.height, image.id)
		}
		if err != nil {
			return fmt.Errorf("save image: %w", err)
		}
	}
	return nil
}

func (w *productWriter) writeVariants(old *productRow) error {
	if err := w.deleteMissing("variants", variantIDs(old.variants), variantIDs(w.want.variants)); err != nil {
		return err
	}
	for i := range w.want.variants {
		if err := w.parkOptions(old, &w.want.variants[i]); err != nil {
			return err
		}
	}
	for i := range w.want.variants {
		if err := w.writeVariant(old, i); err != nil {
			return fmt.Errorf("save variant: %w", err)
		}
	}
	return nil
}

// parkOptions replaces the first option value of a variant whose values change by its ID, which no
// other variant has, so that two variants can swap their values.
func (w *productWriter) parkOptions(old *productRow, v *variantRow) error {
	at := slices.IndexFunc(old.variants, func(o variantRow) bool { return o.id == v.id })
	if at < 0 || old.variants[at].options == v.options {
		return nil
	}
	if _, err := w.tx.Exec(`
		UPDATE variants
		SET option1 = ?
		WHERE id = ?`, v.id, v.id); err != nil {
		return fmt.Errorf("park option values: %w", err)
	}
	return nil
}

func (w *productWriter) writeVariant(old *productRow, i int) (err error) {
	v := &w.want.variants[i]
	at := slices.IndexFunc(old.variants, func(o variantRow) bool { return o.id == v.id })
	delta := v.stock
	switch {
	case at < 0:
		v.id = w.ids.Next(w.tx.Now())
		_, err = w.tx.Exec(`
			INSERT INTO variants (id, product_id, position, sku, barcode, option1, option2, option3, price,
				compare_at_price, weight_grams, image_id, tracked, backorder, stock, low_stock)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			v.id, w.want.id, i+1, v.sku, v.barcode, v.options[0], v.options[1], v.options[2], v.price,
			v.compareAtPrice, v.weightGrams, v.imageID, db.BoolInt(v.tracked), db.BoolInt(v.backorder), v.stock, v.lowStock)
	case at == i && v.equal(old.variants[at]):
		return nil
	case at == i && v.withStock(old.variants[at].stock).equal(old.variants[at]): // the most frequent change by files
		delta -= old.variants[at].stock
		_, err = w.tx.Exec(`
			UPDATE variants
			SET stock = ?
			WHERE id = ?`, v.stock, v.id)
	default:
		delta -= old.variants[at].stock
		_, err = w.tx.Exec(`
			UPDATE variants
			SET position = ?, sku = ?, barcode = ?, option1 = ?, option2 = ?, option3 = ?, price = ?,
				compare_at_price = ?, weight_grams = ?, image_id = ?, tracked = ?, backorder = ?, stock = ?, low_stock = ?
			WHERE id = ?`,
			i+1, v.sku, v.barcode, v.options[0], v.options[1], v.options[2], v.price,
			v.compareAtPrice, v.weightGrams, v.imageID, db.BoolInt(v.tracked), db.BoolInt(v.backorder), v.stock, v.lowStock, v.id)
	}
	if err != nil || delta == 0 {
		return err
	}
	_, err = w.tx.Exec(`
		INSERT INTO stock_movements (id, variant_id, delta, reason, note, at)
		VALUES (?, ?, ?, ?, '', ?)`, w.ids.Next(w.tx.Now()), v.id, delta, w.reason, db.Millis(w.tx.Now()))
	return err
}

// deleteMissing deletes the rows of a table (images or variants) that want does not list.
func (w *productWriter) deleteMissing(table string, before, want []string) error {
	for _, id := range before {
		if slices.Contains(want, id) {
			continue
		}
		if _, err := w.tx.Exec(`
			DELETE FROM `+table+`
			WHERE id = ?`, id); err != nil {
			return fmt.Errorf("delete from %s: %w", table, err)
		}
	}
	return nil
}

func (w *productWriter) writeTags() error {
	if w.before != nil {
		if _, err := w.tx.Exec(`
			DELETE FROM product_tags
			WHERE product_id = ?`, w.want.id); err != nil {
			return fmt.Errorf("delete tags: %w", err)
		}
	}
	for i, tag := range w.want.tags {
		if _, err := w.tx.Exec(`
			INSERT INTO product_tags (product_id, tag_key, tag, position)
			VALUES (?, ?, ?, ?)`, w.want.id, input.FoldKey(tag), tag, i+1); err != nil {
			return fmt.Errorf("save tag: %w", err)
		}
	}
	return nil
}

func (w *productWriter) writeCollections(old *productRow) error {
	for _, id := range old.collections {
		if !slices.Contains(w.want.collections, id) {
			if _, err := deleteMember(w.tx, id, w.want.id); err != nil {
				return err
			}
		}
	}
	for _, id := range w.want.collections {
		if !slices.Contains(old.collections, id) {
			if _, err := insertMember(w.tx, id, w.want.id); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *productWriter) writeSearch(old *productRow) error {
	if w.before != nil {
		if w.want.sameSearch(old) {
			return nil
		}
		if err := unindexProduct(w.tx, w.want.number); err != nil {
			return err
		}
	}
	return indexProduct(w.tx, w.want.number, w.want.searchDocument())
}

// reserveProductNumbers reserves n product numbers. The first of them is last + 1.
func reserveProductNumbers(tx *db.Tx, n int) (last int64, err error) {
	if n == 0 {
		return 0, nil
	}
	last, err = sequence.RaiseCounter(tx, "product", int64(n), 0)
	return last - int64(n), err
}

func imageIDs(images []imageRow) []string {
	ids := make([]string, len(images))
	for i, image := range images {
		ids[i] = image.id
	}
	return ids
}

func variantIDs(variants []variantRow) []string {
	ids := make([]string, len(variants))
	for i, v := range variants {
		ids[i] = v.id
	}
	return ids
}
