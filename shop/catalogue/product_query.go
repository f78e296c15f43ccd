package catalogue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/page"
	"storefront/shop/translation"
)

// productRow is a row of the table products with its images, variants, tags and collections.
type productRow struct {
	id, handle      string
	number          int64
	status          ProductStatus
	title           string
	descriptionHTML string
	vendor, kind    string
	options         []string // names
	seoTitle        string
	seoDescription  string
	metadata        string // a JSON object
	price, priceMax int64
	onSale          bool
	quantityPrices  QuantityPrices
	ratingCount     int64
	ratingSum       int64
	publishedAt     *int64
	createdAt       int64
	updatedAt       int64

	images      []imageRow
	variants    []variantRow
	tags        []string
	collections []string // IDs

	translations translation.Record // nil unless loaded

	folded string // description for the search index; see foldedDescription
}

type imageRow struct {
	id, url, alt  string
	width, height *int64
	media         mediaRef // of an uploaded image
}

type variantRow struct {
	id, sku, barcode string
	options          [MaxOptions]string // "" beyond the product's options
	price            int64
	compareAtPrice   *int64
	weightGrams      int64
	imageID          *string
	tracked          bool
	backorder        bool
	stock            int64
	lowStock         int64
	cost             *int64
}

// Published is the SQL condition that a product p is visible to buyers. Its parameter is the time
// of the transaction, in milliseconds.
const Published = "p.status = 'active' AND p.published_at <= ? AND " + notHidden

// publishedInOrder is Published for a list sorted by another column: the + prevents the use of the
// index products_by_published.
const publishedInOrder = "p.status = 'active' AND +p.published_at <= ? AND " + notHidden

// onePage limits a list to a page. Its parameters are a limit and an offset. Without the + 0 the
// engine would inspect the value of the limit and compile the statement again each time.
const onePage = `
		LIMIT ? + 0 OFFSET ?`

// findIDs returns a page of the products, in order.
func (q *productQuery) findIDs(tx *db.Tx, offset, limit int) ([]string, error) {
	query, args := q.idsSQL(db.Millis(tx.Now()), offset, limit)
	ids, err := db.Query(tx, db.ScanText, query, args...)
	if err != nil {
		return nil, fmt.Errorf("find products: %w", err)
	}
	return ids, nil
}

func (q *productQuery) idsSQL(now int64, offset, limit int) (query string, args []any) {
	query = `
		SELECT p.id
		FROM ` + q.from + `
		WHERE ` + q.whereSQL(publishedInOrder) + `
		ORDER BY ` + q.orderBy
	args = q.arguments(now)
	if limit != page.NoLimit || offset > 0 {
		query += onePage
		args = append(args, limit, offset)
	}
	return query, args
}

func (q *productQuery) count(tx *db.Tx) (total int, err error) {
	query, args := q.countSQL(db.Millis(tx.Now()))
	if err := tx.QueryRow(query, args...).Scan(&total); err != nil {
		return 0, fmt.Errorf("count products: %w", err)
	}
	return total, nil
}

// unpublished selects the numbers of the products that buyers may not see: all that do not meet
// Published. It reads no others. Its parameter is the same.
const unpublished = `
			SELECT p.number FROM products p WHERE p.status IN ('draft', 'archived')
			UNION ALL
			SELECT p.number FROM products p WHERE p.status = 'active' AND p.published_at IS NULL
			UNION ALL
			SELECT p.number FROM products p WHERE p.status = 'active' AND p.published_at > ?
			UNION ALL
			SELECT p.number FROM products p WHERE p.id BETWEEN ` + firstHidden + ` AND ` + lastHidden

func (q *productQuery) countSQL(now int64) (query string, args []any) {
	if q.search != nil && len(q.where) == 1 { // for a common word, looking up each product takes several times as long
		return `
		SELECT COUNT(*)
		FROM ` + q.sql.table + `
		WHERE ` + q.sql.match + ` AND ` + q.sql.number + ` NOT IN (` + unpublished + `)`, q.arguments(now)
	}
	return `
		SELECT COUNT(*)
		FROM ` + q.from + `
		WHERE ` + q.whereSQL(Published), q.arguments(now)
}

func (q *productQuery) whereSQL(visible string) string {
	return strings.Join(append(slices.Clip(q.where), visible), " AND ")
}

func (q *productQuery) arguments(now int64) []any { return append(slices.Clip(q.args), now) }

// NextPublication returns the time of the next scheduled publication of a product, in milliseconds,
// or 0 if none is scheduled.
func NextPublication(tx *db.Tx) (at int64, err error) {
	err = tx.QueryRow(`
		SELECT COALESCE(MIN(p.published_at), 0)
		FROM products p
		WHERE p.status = 'active' AND p.published_at > ? AND `+notHidden, db.Millis(tx.Now())).Scan(&at)
	if err != nil {
		return 0, fmt.Errorf("find next publication: %w", err)
	}
	return at, nil
}

// findPublishedID returns the ID and the revision of the published product with this value in the
// column by: id or handle. The error is db.ErrNotFound if there is none.
func findPublishedID(tx *db.Tx, by, value string) (id string, revision int64, err error) {
	err = tx.QueryRow(`
		SELECT p.id, r.revision
		FROM products p
		JOIN product_revisions r ON r.product_id = p.id
		WHERE p.`+by+` = ? AND `+Published, value, db.Millis(tx.Now())).Scan(&id, &revision)
	return id, revision, err
}

// findByEarlierHandle returns the ID of the product that had this handle earlier. The error is
// db.ErrNotFound if there is none.
func findByEarlierHandle(tx *db.Tx, handle string) (id string, err error) {
	err = tx.QueryRow(`
		SELECT product_id
		FROM product_handles
		WHERE handle = ?`, handle).Scan(&id)
	return id, err
}

// findAllProductIDs returns the IDs of all products that meet a condition, in the order of
// creation.
func findAllProductIDs(tx *db.Tx, condition string) ([]string, error) {
	ids, err := db.Query(tx, db.ScanText, `
		SELECT p.id
		FROM products p
		WHERE `+condition+`
		ORDER BY p.number`)
	if err != nil {
		return nil, fmt.Errorf("find all products: %w", err)
	}
	return ids, nil
}

// findProductIDs returns the IDs of the products with these handles, by handle. Codes:
// state_conflict (a product is hidden).
func findProductIDs(tx *db.Tx, handles []string) (map[string]string, error) {
	type pair struct {
		handle, id string
		visible    bool
	}
	ids := make(map[string]string, len(handles))
	for chunk := range db.Chunks(handles) {
		list, args := db.InList(chunk)
		pairs, err := db.Query(tx, func(r db.Row) (p pair, err error) {
			return p, r.Scan(&p.handle, &p.id, &p.visible)
		}, `
			SELECT p.handle, p.id, `+notHidden+`
			FROM products p
			WHERE p.handle IN `+list, args...)
		if err != nil {
			return nil, fmt.Errorf("find products by handle: %w", err)
		}
		for _, p := range pairs {
			if !p.visible {
				return nil, rejectHidden(p.handle)
			}
			ids[p.handle] = p.id
		}
	}
	return ids, nil
}

// findProductRows returns the products with these IDs, in this order, with their parts. It executes
// one query for each kind of part and chunk, regardless of the number of products.
func findProductRows(tx *db.Tx, ids []string) ([]*productRow, error) {
	rows := make([]*productRow, 0, len(ids))
	for chunk := range db.Chunks(ids) {
		list, args := db.InList(chunk)
		found, err := db.Query(tx, scanProduct, `
			SELECT p.id, p.handle, p.number, p.status, p.title, p.description_html, p.vendor, p.type,
				p.options, p.seo_title, p.seo_description, p.metadata, p.price, p.price_max, p.on_sale,
				COALESCE(p.quantity_prices, ''), p.rating_count, p.rating_sum, p.published_at, p.created_at, p.updated_at
			FROM products p
			WHERE p.id IN `+list, args...)
		if err != nil {
			return nil, fmt.Errorf("load products: %w", err)
		}
		byID := make(map[string]*productRow, len(found))
		for _, p := range found {
			byID[p.id] = p
		}
		if err := findParts(tx, byID, list, args); err != nil {
			return nil, err
		}
		for _, id := range chunk {
			if p := byID[id]; p != nil {
				rows = append(rows, p)
			}
		}
	}
	return rows, nil
}

func scanProduct(r db.Row) (*productRow, error) {
	var p productRow
	var status, options, quantityPrices string
	err := r.Scan(&p.id, &p.handle, &p.number, &status, &p.title, &p.descriptionHTML, &p.vendor, &p.kind,
		&options, &p.seoTitle, &p.seoDescription, &p.metadata, &p.price, &p.priceMax, &p.onSale,
		&quantityPrices, &p.ratingCount, &p.ratingSum, &p.publishedAt, &p.createdAt, &p.updatedAt)
	if err != nil {
		return nil, err
	}
	p.status = ProductStatus(status)
	if p.quantityPrices, err = ParseQuantityPrices(quantityPrices); err != nil {
		return nil, fmt.Errorf("product %s: %w", p.id, err)
	}
	if options != "[]" {
		if err := json.Unmarshal([]byte(options), &p.options); err != nil {
			return nil, fmt.Errorf("parse options of product %s: %w", p.id, err)
		}
	}
	return &p, nil
}

// findParts adds images, variants, tags and collections to the products of one chunk. Foreign keys
// ensure that each part has a product.
func findParts(tx *db.Tx, byID map[string]*productRow, list string, args []any) error {
	var productID, text string
	var err error
	err = tx.Each(`
		SELECT i.product_id, i.id, i.url, i.alt, i.width, i.height, COALESCE(m.id, ''), COALESCE(m.format, ''), COALESCE(m.renditions, '[]'),
			COALESCE(m.colour, '')
		FROM images i
		LEFT JOIN media m ON m.id = i.media_id
		WHERE i.product_id IN `+list+`
		ORDER BY i.product_id, i.position`, args, func(r db.Row) (err error) {
		var i imageRow
		err = r.Scan(&productID, &i.id, &i.url, &i.alt, &i.width, &i.height, &i.media.id, &i.media.format, &text, &i.media.colour)
		if err != nil {
			return err
		}
		if text != "[]" {
			if i.media.sizes, err = parseSizes(text); err != nil {
				return err
			}
		}
		byID[productID].images = append(byID[productID].images, i)
		return nil
	})
	if err != nil {
		return fmt.Errorf("load images: %w", err)
	}
	err = tx.Each(`
		SELECT v.product_id, v.id, v.sku, v.barcode, v.option1, v.option2, v.option3, v.price,
			v.compare_at_price, v.weight_grams, v.image_id, v.tracked, v.backorder, v.stock, v.low_stock, v.cost
		FROM variants v
		WHERE v.product_id IN `+list+`
		ORDER BY v.product_id, v.position`, args, func(r db.Row) error {
		var v variantRow
		if err := r.Scan(&productID, &v.id, &v.sku, &v.barcode, &v.options[0], &v.options[1], &v.options[2], &v.price,
			&v.compareAtPrice, &v.weightGrams, &v.imageID, &v.tracked, &v.backorder, &v.stock, &v.lowStock, &v.cost); err != nil {
			return err
		}
		byID[productID].variants = append(byID[productID].variants, v)
		return nil
	})
	if err != nil {
		return fmt.Errorf("load variants: %w", err)
	}
	err = tx.Each(`
		SELECT t.product_id, t.tag
		FROM product_tags t
		WHERE t.product_id IN `+list+`
		ORDER BY t.product_id, t.position`, args, func(r db.Row) error {
		if err := r.Scan(&productID, &text); err != nil {
			return err
		}
		byID[productID].tags = append(byID[productID].tags, text)
		return nil
	})
	if err != nil {
		return fmt.Errorf("load tags: %w", err)
	}
	err = tx.Each(`
		SELECT cp.product_id, cp.collection_id
		FROM collection_products cp
		WHERE cp.product_id IN `+list+`
		ORDER BY cp.product_id, cp.collection_id`, args, func(r db.Row) error {
		if err := r.Scan(&productID, &text); err != nil {
			return err
		}
		byID[productID].collections = append(byID[productID].collections, text)
		return nil
	})
	if err != nil {
		return fmt.Errorf("load collections of products: %w", err)
	}
	return nil
}

// findProductRow is findProductRows for one product. The error is db.ErrNotFound if there is none.
func findProductRow(tx *db.Tx, id string) (*productRow, error) {
	rows, err := findProductRows(tx, []string{id})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, db.ErrNotFound
	}
	return rows[0], nil
}
