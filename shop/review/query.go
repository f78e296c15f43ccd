package review

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/page"
)

// row is a review as it is stored.
type row struct {
	id, productID string
	orderNumber   int64
	rating        int
	text, name    string
	sentAt        int64
	photoID       string // "" if there is none
}

// hasProduct reports whether the shop still has a product.
func hasProduct(tx *db.Tx, id string) (has bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM products
			WHERE id = ?)`, id).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("find product: %w", err)
	}
	return has, nil
}

// saveReview creates the review of an order's product, or replaces it.
func saveReview(tx *db.Tx, r row) error {
	err := tx.Do(`
		INSERT INTO reviews (id, product_id, order_number, rating, text, name, status, created_at, sent_at, media_id)
		VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?)
		ON CONFLICT (order_number, product_id) DO UPDATE SET
			rating = excluded.rating, text = excluded.text, name = excluded.name, status = 'pending', sent_at = excluded.sent_at,
			media_id = excluded.media_id`,
		r.id, r.productID, r.orderNumber, r.rating, r.text, r.name, r.sentAt, r.sentAt, db.NullText(r.photoID))
	if err != nil {
		return fmt.Errorf("save review: %w", err)
	}
	return nil
}

func setStatus(tx *db.Tx, id string, to Status) error {
	err := tx.Do(`
		UPDATE reviews
		SET status = ?
		WHERE id = ?`, to, id)
	if err != nil {
		return fmt.Errorf("set status of review: %w", err)
	}
	return nil
}

// removePhoto removes the photo of a review.
func removePhoto(tx *db.Tx, id string) error {
	err := tx.Do(`
		UPDATE reviews
		SET media_id = NULL
		WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("remove photo of review: %w", err)
	}
	return nil
}

// EraseOrder erases the personal data in the reviews of an order: names, texts and photos. The
// ratings remain. It returns the IDs of the photos.
func EraseOrder(tx *db.Tx, orderNumber int64) (photoIDs []string, err error) {
	photoIDs, err = db.Query(tx, db.ScanText, `
		SELECT media_id
		FROM reviews
		WHERE order_number = ? AND media_id IS NOT NULL`, orderNumber)
	if err == nil {
		err = tx.Do(`
			UPDATE reviews
			SET name = '', text = '', media_id = NULL
			WHERE order_number = ?`, orderNumber)
	}
	if err != nil {
		return nil, fmt.Errorf("erase reviews: %w", err)
	}
	return photoIDs, nil
}

// HasReview reports whether a product of an order was reviewed.
func HasReview(tx *db.Tx, orderNumber int64) (has bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM reviews
			WHERE order_number = ?)`, orderNumber).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("find reviews of the order: %w", err)
	}
	return has, nil
}

const reviewColumns = `
	SELECT r.id, r.product_id, p.title, o.id, r.order_number, r.rating, r.text, r.name, r.status, r.created_at, r.sent_at,
		COALESCE(r.media_id, '')
	FROM reviews r
	JOIN products p ON p.id = r.product_id
	JOIN orders o ON o.number = r.order_number`

func scanReview(from db.Row) (r Review, err error) {
	err = from.Scan(&r.ID, &r.ProductID, &r.ProductTitle, &r.OrderID, &r.OrderNumber, &r.Rating, &r.Text, &r.Name, &r.Status, &r.CreatedAt, &r.SentAt,
		&r.PhotoID)
	r.Version = strconv.FormatInt(db.Millis(r.SentAt), 10)
	return r, err
}

// FindOfOrders returns the reviews of orders, by ID of the order, without their photos. Products
// that no longer exist have none.
func FindOfOrders(tx *db.Tx, orderIDs []string) ([]Review, error) {
	all := []Review{}
	for part := range db.Chunks(orderIDs) {
		list, args := db.InList(part)
		found, err := db.Query(tx, scanReview, reviewColumns+`
		WHERE o.id IN `+list+`
		ORDER BY r.created_at, r.id`, args...)
		if err != nil {
			return nil, fmt.Errorf("find reviews of orders: %w", err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// findReview returns a review. The error is db.ErrNotFound if there is none.
func findReview(tx *db.Tx, id string) (*Review, error) {
	found, err := scanReview(tx.QueryRow(reviewColumns+`
		WHERE r.id = ?`, id))
	if err != nil {
		return nil, fmt.Errorf("find review: %w", err)
	}
	return &found, nil
}

// findByOrder returns the review of an order's product. The error is db.ErrNotFound if there is
// none.
func findByOrder(tx *db.Tx, orderNumber int64, productID string) (*Review, error) {
	found, err := scanReview(tx.QueryRow(reviewColumns+`
		WHERE r.order_number = ? AND r.product_id = ?`, orderNumber, productID))
	if err != nil {
		return nil, fmt.Errorf("find review of the order: %w", err)
	}
	return &found, nil
}

// findOfOrder returns the reviews of an order's products by product, without the products that no
// longer exist.
func findOfOrder(tx *db.Tx, orderNumber int64, products []Product) (map[string]OfOrder, error) {
	if len(products) == 0 {
		return nil, nil
	}
	ids := make([]string, len(products))
	for i, product := range products {
		ids[i] = product.ID
	}
	conditions, args := db.WhereIn(nil, []any{orderNumber}, "p.id", ids)
	found := map[string]OfOrder{}
	_, err := db.Query(tx, func(from db.Row) (struct{}, error) {
		var id string
		var own OfOrder
		err := from.Scan(&id, &own.Status, &own.Rating, &own.Text, &own.HasPhoto)
		found[id] = own
		return struct{}{}, err
	}, `
		SELECT p.id, COALESCE(r.status, ''), COALESCE(r.rating, 0), COALESCE(r.text, ''), r.media_id IS NOT NULL
		FROM products p
		LEFT JOIN reviews r ON r.product_id = p.id AND r.order_number = ?
		WHERE `+strings.Join(conditions, " AND "), args...)
	if err != nil {
		return nil, fmt.Errorf("find reviews of the order: %w", err)
	}
	return found, nil
}

func findPublished(tx *db.Tx, productID string) (*OfProduct, error) {
	all := &OfProduct{}
	newest, err := db.Query(tx, func(from db.Row) (s ProductReview, err error) {
		err = from.Scan(&s.ID, &s.Rating, &s.Text, &s.Name, &s.SentAt, &s.PhotoID, &all.Count, &all.Sum)
		return s, err
	}, `
		SELECT id, rating, text, name, sent_at, COALESCE(media_id, ''), COUNT(*) OVER (), SUM(rating) OVER ()
		FROM reviews
		WHERE product_id = ? AND status = 'published'
		ORDER BY sent_at DESC, id DESC
		LIMIT ?`, productID, MaxShown)
	if err != nil {
		return nil, fmt.Errorf("find published reviews: %w", err)
	}
	all.Newest = newest
	return all, nil
}

// countPublished counts the published reviews of a product. The error is db.ErrNotFound if buyers
// see no such product.
func countPublished(tx *db.Tx, productID string) (total int, err error) {
	err = tx.QueryRow(`
		SELECT p.rating_count
		FROM products p
		WHERE p.id = ? AND `+catalogue.Published, productID, db.Millis(tx.Now())).Scan(&total)
	if err != nil {
		return 0, fmt.Errorf("count published reviews: %w", err)
	}
	return total, nil
}

// listPublished returns one page of the published reviews of a product, newest first.
func listPublished(tx *db.Tx, productID string, w page.Window) ([]ProductReview, error) {
	query, args := `
		SELECT id, rating, text, name, sent_at, COALESCE(media_id, '')
		FROM reviews
		WHERE product_id = ? AND status = 'published'
		ORDER BY sent_at DESC, id DESC`, []any{productID}
	if w.Limit != page.NoLimit {
		query, args = query+`
		LIMIT ? OFFSET ?`, append(args, w.Limit, w.Offset())
	}
	found, err := db.Query(tx, func(from db.Row) (s ProductReview, err error) {
		err = from.Scan(&s.ID, &s.Rating, &s.Text, &s.Name, &s.SentAt, &s.PhotoID)
		return s, err
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list published reviews: %w", err)
	}
	return found, nil
}

// countReviews counts the reviews in one of the statuses, or all.
func countReviews(tx *db.Tx, statuses []Status) (count page.Count, err error) {
	conditions, args := db.WhereIn([]string{"1 = 1"}, nil, "status", statuses)
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM reviews WHERE `+strings.Join(conditions, " AND ")+` LIMIT ?) found`,
		append(slices.Clone(args), page.MaxCount+1)...).Scan(&count.Total)
	if err != nil {
		return count, fmt.Errorf("count reviews: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	return count, nil
}

// listReviews returns one page of the reviews in one of the statuses, or of all, newest first.
func listReviews(tx *db.Tx, statuses []Status, w page.Window) ([]Review, error) {
	conditions, args := db.WhereIn([]string{"1 = 1"}, nil, "r.status", statuses)
	query := reviewColumns + `
		WHERE ` + strings.Join(conditions, " AND ") + `
		ORDER BY r.sent_at DESC, r.id DESC`
	if w.Limit != page.NoLimit {
		query, args = query+`
		LIMIT ? OFFSET ?`, append(args, w.Limit, w.Offset())
	}
	found, err := db.Query(tx, scanReview, query, args...)
	if err != nil {
		return nil, fmt.Errorf("list reviews: %w", err)
	}
	return found, nil
}
