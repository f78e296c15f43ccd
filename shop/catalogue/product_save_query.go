package catalogue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/input"
	"storefront/shop/locale"
	"storefront/shop/sequence"
	"storefront/shop/translation"
)

// productWriter writes the differences between two versions of a product.
type productWriter struct {
	tx     *db.Tx
	ids    *sequence.Source
	before *productRow    // nil means a new product
	want   *productRow    // the IDs of new rows are set when written
	reason MovementReason // of stock movements
	words  *wordSet       // stored ones
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
	if err := w.writeTranslations(old); err != nil {
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
		err = w.tx.Do(`
			INSERT INTO products (id, number, handle, status, title, title_key, title_bn, title_en, description_html, vendor, type,
				options, seo_title, seo_description, metadata, price, price_max, on_sale,
				quantity_prices, published_at, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			p.id, p.number, p.handle, string(p.status), p.title, input.FoldKey(p.title), p.titleKeyIn(locale.Bangla), p.titleKeyIn(locale.English),
			p.descriptionHTML, p.vendor, p.kind,
			string(options), p.seoTitle, p.seoDescription, p.metadata, p.price, p.priceMax, db.BoolInt(p.onSale),
			db.NullText(p.quantityPrices.Text()), p.publishedAt, now, now)
		if err != nil {
			return err
		}
		return w.tx.Do(`
			INSERT INTO product_revisions (product_id, revision, changed)
			VALUES (?, ?, `+nextContent+`)`, p.id, now)
	}
	b := w.before
	var set columnChanges
	if p.handle != b.handle {
		if err := saveEarlierHandle(w.tx, "product", p.id, b.handle, p.handle); err != nil {
			return err
		}
	}
	set.add("handle", p.handle, p.handle != b.handle)
	set.add("status", string(p.status), p.status != b.status)
	set.add("title", p.title, p.title != b.title)
	set.add("title_key", input.FoldKey(p.title), p.title != b.title)
	set.add("description_html", p.descriptionHTML, p.descriptionHTML != b.descriptionHTML)
	set.add("vendor", p.vendor, p.vendor != b.vendor)
	set.add("type", p.kind, p.kind != b.kind)
	set.add("options", string(options), !slices.Equal(p.options, b.options))
	set.add("seo_title", p.seoTitle, p.seoTitle != b.seoTitle)
	set.add("seo_description", p.seoDescription, p.seoDescription != b.seoDescription)
	set.add("metadata", p.metadata, p.metadata != b.metadata)
	set.add("price", p.price, p.price != b.price)
	set.add("price_max", p.priceMax, p.priceMax != b.priceMax)
	set.add("on_sale", db.BoolInt(p.onSale), p.onSale != b.onSale)
	set.add("quantity_prices", db.NullText(p.quantityPrices.Text()), !slices.Equal(p.quantityPrices, b.quantityPrices))
	set.add("published_at", p.publishedAt, !equalPtr(p.publishedAt, b.publishedAt))
	set.add("updated_at", now, true)
	err = w.tx.Do(`
		UPDATE products
		SET `+set.list()+`
		WHERE id = ?`, append(set.values, p.id)...)
	if err != nil {
		return err
	}
	return TouchProduct(w.tx, p.id)
}

// saveEarlierHandle lets buyers find a product or a collection at its previous handle too. If two
// had the handle, the later one is found.
func saveEarlierHandle(tx *db.Tx, record, id, before, now string) error {
	err := tx.Do(`
		INSERT INTO `+record+`_handles (handle, `+record+`_id)
		VALUES (?, ?)
		ON CONFLICT (handle) DO UPDATE SET `+record+`_id = excluded.`+record+`_id`, before, id)
	if err == nil {
		err = tx.Do(`
		DELETE FROM `+record+`_handles
		WHERE handle = ? AND `+record+`_id = ?`, now, id)
	}
	if err != nil {
		return fmt.Errorf("save earlier handle: %w", err)
	}
	return nil
}

func (w *productWriter) writeImages(old *productRow) (err error) {
	for i := range w.want.images {
		image := &w.want.images[i]
		switch at := slices.IndexFunc(old.images, func(o imageRow) bool { return o.id == image.id }); {
		case image.id == "":
			if image.media.id != "" {
				if err := useMedia(w.tx, image.media.id); err != nil {
					return err
				}
			}
			field := image.altText()
			image.id = w.ids.Next(w.tx.Now())
			w.want.translations = w.want.translations.Rename(field, image.altText())
			err = w.tx.Do(`
				INSERT INTO images (id, product_id, position, url, alt, width, height, media_id)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
				image.id, w.want.id, i+1, image.url, image.alt, image.width, image.height, db.NullText(image.media.id))
		case at != i || !image.equal(old.images[at]):
			if image.media.id != old.images[at].media.id {
				if err := useMedia(w.tx, image.media.id); err != nil {
					return err
				}
			}
			err = w.tx.Do(`
				UPDATE images
				SET position = ?, url = ?, alt = ?, width = ?, height = ?, media_id = ?
				WHERE id = ?`, i+1, image.url, image.alt, image.width, image.height, db.NullText(image.media.id), image.id)
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

// parkOptions temporarily replaces the first option value of a changing variant by its unique ID,
// so that two variants can swap their values.
func (w *productWriter) parkOptions(old *productRow, v *variantRow) error {
	at := slices.IndexFunc(old.variants, func(o variantRow) bool { return o.id == v.id })
	if at < 0 || old.variants[at].options == v.options {
		return nil
	}
	if err := w.tx.Do(`
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
		err = w.tx.Do(`
			INSERT INTO variants (id, product_id, position, sku, barcode, option1, option2, option3, price,
				compare_at_price, weight_grams, image_id, tracked, backorder, stock, low_stock, cost)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			v.id, w.want.id, i+1, v.sku, v.barcode, v.options[0], v.options[1], v.options[2], v.price,
			v.compareAtPrice, v.weightGrams, v.imageID, db.BoolInt(v.tracked), db.BoolInt(v.backorder), v.stock, v.lowStock, v.cost)
	case at == i && v.equal(old.variants[at]):
		return nil
	default:
		o := &old.variants[at]
		delta -= o.stock
		var set columnChanges
		set.add("position", i+1, at != i)
		set.add("sku", v.sku, v.sku != o.sku)
		set.add("barcode", v.barcode, v.barcode != o.barcode)
		for n, name := range [MaxOptions]string{"option1", "option2", "option3"} {
			set.add(name, v.options[n], v.options != o.options)
		}
		set.add("price", v.price, v.price != o.price)
		set.add("compare_at_price", v.compareAtPrice, !equalPtr(v.compareAtPrice, o.compareAtPrice))
		set.add("weight_grams", v.weightGrams, v.weightGrams != o.weightGrams)
		set.add("image_id", v.imageID, !equalPtr(v.imageID, o.imageID))
		set.add("tracked", db.BoolInt(v.tracked), v.tracked != o.tracked)
		set.add("backorder", db.BoolInt(v.backorder), v.backorder != o.backorder)
		set.add("stock", v.stock, v.stock != o.stock)
		set.add("low_stock", v.lowStock, v.lowStock != o.lowStock)
		set.add("cost", v.cost, !equalPtr(v.cost, o.cost))
		err = w.tx.Do(`
			UPDATE variants
			SET `+set.list()+`
			WHERE id = ?`, append(set.values, v.id)...)
	}
	if err != nil {
		return err
	}
	if delta == 0 {
		return nil
	}
	err = w.tx.Do(`
		INSERT INTO stock_movements (id, variant_id, delta, reason, note, at)
		VALUES (?, ?, ?, ?, '', ?)`, w.ids.Next(w.tx.Now()), v.id, delta, w.reason, db.Millis(w.tx.Now()))
	return err
}

// columnChanges are the columns that an UPDATE sets. It contains only columns that differ, since
// the engine updates each index on a listed column.
type columnChanges struct {
	names  []string
	values []any
}

func (c *columnChanges) add(name string, value any, changed bool) {
	if changed {
		c.names, c.values = append(c.names, name), append(c.values, value)
	}
}

// list returns the assignments of SET.
func (c *columnChanges) list() string { return strings.Join(c.names, " = ?, ") + " = ?" }

// deleteMissing deletes the rows of a table (images or variants) that want does not list.
func (w *productWriter) deleteMissing(table string, before, want []string) error {
	for _, id := range before {
		if slices.Contains(want, id) {
			continue
		}
		if err := w.tx.Do(`
			DELETE FROM `+table+`
			WHERE id = ?`, id); err != nil {
			return fmt.Errorf("delete from %s: %w", table, err)
		}
	}
	return nil
}

func (w *productWriter) writeTags() error {
	if w.before != nil {
		if err := w.tx.Do(`
			DELETE FROM product_tags
			WHERE product_id = ?`, w.want.id); err != nil {
			return fmt.Errorf("delete tags: %w", err)
		}
	}
	for i, tag := range w.want.tags {
		if err := w.tx.Do(`
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

// writeTranslations saves the translations. They are loaded if they may have lost their text, or if
// they are needed for the index.
func (w *productWriter) writeTranslations(old *productRow) error {
	if w.before != nil && w.want.translations == nil {
		want, had := w.want.translated(), old.translated()
		if w.want.sameSearch(old) && slices.Equal(want.Fields(), had.Fields()) {
			return nil
		}
		if err := loadTranslations(w.tx, []*productRow{old}); err != nil {
			return err
		}
		w.want.translations = old.translations
	}
	original := w.want.translated()
	w.want.translations = w.want.translations.Only(original.Fields())
	if w.before != nil {
		if err := w.writeTitleKeys(old); err != nil {
			return err
		}
	}
	return translation.Save(w.tx, translation.Product, w.want.id, old.translations, w.want.translations)
}

// writeTitleKeys saves the keys by which lists in a language are sorted.
func (w *productWriter) writeTitleKeys(old *productRow) error {
	bangla, english := w.want.titleKeyIn(locale.Bangla), w.want.titleKeyIn(locale.English)
	if bangla == old.titleKeyIn(locale.Bangla) && english == old.titleKeyIn(locale.English) {
		return nil
	}
	return w.tx.Do(`
		UPDATE products
		SET title_bn = ?, title_en = ?
		WHERE id = ?`, bangla, english, w.want.id)
}

// titleKeyIn returns the key of the title that buyers read in a language.
func (p *productRow) titleKeyIn(language locale.Language) string {
	return input.FoldKey(locale.NameIn(language, p.translations[language].Or(fieldTitle, p.title)))
}

func (w *productWriter) writeSearch(old *productRow) error {
	if w.before != nil {
		if w.want.sameSearch(old) {
			return nil
		}
		if err := unindexProduct(w.tx, w.want.number); err != nil {
			return err
		}
		before := old.searchDocument()
		w.words.add(&before)
	}
	d := w.want.searchDocument()
	if err := indexProduct(w.tx, w.want.number, &d); err != nil {
		return err
	}
	return insertWords(w.tx, w.words.add(&d))
}

// deleteProduct removes a product with its parts.
func deleteProduct(tx *db.Tx, p *productRow) error {
	if err := unindexProduct(tx, p.number); err != nil {
		return err
	}
	if err := recordRemoval(tx, p.id); err != nil {
		return err
	}
	if err := tx.Do(`
		DELETE FROM products
		WHERE id = ?`, p.id); err != nil {
		return fmt.Errorf("delete product: %w", err)
	}
	return translation.Delete(tx, translation.Product, p.id)
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
