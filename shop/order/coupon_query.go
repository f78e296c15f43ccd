package order

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/page"
)

// couponRow is a stored coupon.
type couponRow struct {
	id, code      string // code is "" for an automatic discount
	title         string // of an automatic discount, for buyers
	kind          CouponKind
	basisPoints   *int64 // percentage and buy_get
	amount        *int64 // fixed
	maxDiscount   *int64
	buyQuantity   *int64 // buy_get
	getQuantity   *int64 // buy_get
	minSubtotal   int64
	startsAt      *time.Time
	endsAt        *time.Time
	usageLimit    *int64
	customerLimit *int64
	requiresLogin bool
	active        bool
	used          int64
	discountGiven int64
	scoped        bool // it applies only to the products and collections of its scopes
	gotScoped     bool // buy_get: the units to get have scopes of their own
	createdAt     time.Time
	updatedAt     time.Time
}

const selectCoupon = `
	SELECT ` + couponColumns + `
	FROM coupons c
	`

const couponColumns = `c.id, COALESCE(c.code, ''), c.title, c.kind, c.basis_points, c.amount, c.max_discount, c.min_subtotal, c.starts_at, c.ends_at,
		c.usage_limit, c.customer_limit, c.requires_login, c.active, c.used, c.created_at, c.updated_at,
		c.scoped, c.discount_given, c.buy_quantity, c.get_quantity, c.got_scoped`

func scanCoupon(r db.Row) (couponRow, error) { return scanCouponWith(r) }

// scanCouponWith is scanCoupon for a row with more columns.
func scanCouponWith(r db.Row, more ...any) (c couponRow, err error) {
	var starts, ends *int64
	var created, updated int64
	err = r.Scan(append([]any{
		&c.id, &c.code, &c.title, &c.kind, &c.basisPoints, &c.amount, &c.maxDiscount, &c.minSubtotal, &starts, &ends,
		&c.usageLimit, &c.customerLimit, &c.requiresLogin, &c.active, &c.used, &created, &updated, &c.scoped, &c.discountGiven,
		&c.buyQuantity, &c.getQuantity, &c.gotScoped,
	}, more...)...)
	c.startsAt, c.endsAt = db.FromNullMillis(starts), db.FromNullMillis(ends)
	c.createdAt, c.updatedAt = db.FromMillis(created), db.FromMillis(updated)
	return c, err
}

// findCoupon returns the coupon with this key; the error is db.ErrNotFound if there is none.
func findCoupon(tx *db.Tx, key string) (couponRow, error) {
	row, err := scanCoupon(tx.QueryRow(selectCoupon+`WHERE c.code_key = ?`, key))
	if err != nil {
		return row, fmt.Errorf("find coupon: %w", err)
	}
	return row, nil
}

// findCouponByID returns the coupon with this ID; the error is db.ErrNotFound if there is none.
func findCouponByID(tx *db.Tx, id string) (couponRow, error) {
	row, err := scanCoupon(tx.QueryRow(selectCoupon+`WHERE c.id = ?`, id))
	if err != nil {
		return row, fmt.Errorf("find coupon: %w", err)
	}
	return row, nil
}

// couponExists reports whether a coupon has this key.
func couponExists(tx *db.Tx, key string) (exists bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM coupons c
			WHERE c.code_key = ?)`, key).Scan(&exists)
	if err != nil {
		return false, fmt.Errorf("find coupon: %w", err)
	}
	return exists, nil
}

func (f *CouponFilter) where() (where string, args []any) {
	where = "1 = 1"
	if key := couponKey(cleanCode(f.Search)); key != "" {
		where, args = where+" AND c.code_key >= ? AND c.code_key < ?", append(args, key, key+"\U0010FFFF")
	}
	if active := f.Active.Pointer(); active != nil {
		where, args = where+" AND c.active = ?", append(args, db.BoolInt(*active))
	}
	if automatic := f.Automatic.Pointer(); automatic != nil {
		is := " IS NOT NULL"
		if *automatic {
			is = " IS NULL"
		}
		where += " AND c.code_key" + is
	}
	return where, args
}

func (f *CouponFilter) count(tx *db.Tx) (count page.Count, err error) {
	where, args := f.where()
	err = tx.QueryRow(`
		SELECT COUNT(*)
		FROM (SELECT 1 FROM coupons c WHERE `+where+` LIMIT ?) found`, append(args, page.MaxCount+1)...).Scan(&count.Total)
	if err != nil {
		return count, fmt.Errorf("count coupons: %w", err)
	}
	count.Total, count.Bounded = min(count.Total, page.MaxCount), count.Total > page.MaxCount
	return count, nil
}

func (f *CouponFilter) find(tx *db.Tx, w page.Window) ([]couponRow, error) {
	where, args := f.where()
	query := selectCoupon + "WHERE " + where + " ORDER BY c.code_key IS NOT NULL, c.code_key, c.id"
	if w.Limit != page.NoLimit {
		query, args = query+" LIMIT ? OFFSET ?", append(args, w.Limit, w.Offset())
	}
	rows, err := db.Query(tx, scanCoupon, query, args...)
	if err != nil {
		return nil, fmt.Errorf("find coupons: %w", err)
	}
	return rows, nil
}

// findCouponWhole adds the coupon's last use, products and collections.
func findCouponWhole(tx *db.Tx, row couponRow) (Coupon, error) {
	coupon := Coupon{
		ID: row.id, Used: int(row.used), DiscountGiven: row.discountGiven, Scoped: row.scoped, GotScoped: row.gotScoped,
		CreatedAt: row.createdAt, UpdatedAt: row.updatedAt,
		CouponSpec: CouponSpec{
			Code: row.code, Kind: row.kind, BasisPoints: row.basisPoints, Amount: row.amount, MaxDiscount: row.maxDiscount,
			StartsAt: row.startsAt, EndsAt: row.endsAt, UsageLimit: row.usageLimit, CustomerLimit: row.customerLimit,
			RequiresLogin: row.requiresLogin, Active: row.active,
			Title: row.title, BuyQuantity: row.buyQuantity, GetQuantity: row.getQuantity,
		},
	}
	if row.minSubtotal > 0 {
		coupon.MinSubtotal = &row.minSubtotal
	}
	if row.used > 0 {
		var err error
		if coupon.LastUsedAt, err = findLastCouponUse(tx, row); err != nil {
			return Coupon{}, err
		}
	}
	return coupon, coupon.findScopes(tx)
}

// findScopes sets the coupon's products and collections.
func (c *Coupon) findScopes(tx *db.Tx) (err error) {
	c.CollectionIDs, c.Collections, c.ProductIDs, c.Products = []string{}, []string{}, []string{}, []string{}
	c.GetCollectionIDs, c.GetCollections, c.GetProductIDs, c.GetProducts = []string{}, []string{}, []string{}, []string{}
	type thing struct{ id, handle string }
	things := func(query string, got int) (ids, handles []string) {
		found, e := db.Query(tx, func(r db.Row) (t thing, err error) {
			err = r.Scan(&t.id, &t.handle)
			return t, err
		}, query, c.ID, got)
		err = errors.Join(err, e)
		ids, handles = make([]string, len(found)), make([]string, len(found))
		for i, t := range found {
			ids[i], handles[i] = t.id, t.handle
		}
		return ids, handles
	}
	const products = `
		SELECT p.id, p.handle
		FROM coupon_scopes s
		JOIN products p ON p.id = s.product_id
		WHERE s.coupon_id = ? AND s.got = ?
		ORDER BY p.id`
	const collections = `
		SELECT c.id, c.handle
		FROM coupon_scopes s
		JOIN collections c ON c.id = s.collection_id
		WHERE s.coupon_id = ? AND s.got = ?
		ORDER BY c.id`
	if c.Scoped {
		c.ProductIDs, c.Products = things(products, 0)
		c.CollectionIDs, c.Collections = things(collections, 0)
	}
	if c.GotScoped {
		c.GetProductIDs, c.GetProducts = things(products, 1)
		c.GetCollectionIDs, c.GetCollections = things(collections, 1)
	}
	if err != nil {
		return fmt.Errorf("find coupon scopes: %w", err)
	}
	return nil
}

// findProductsInScope returns the products that a scoped coupon applies to, among the given ones.
func findProductsInScope(tx *db.Tx, couponID string, productIDs []string) ([]string, error) {
	list, args := db.InList(productIDs)
	ids, err := db.Query(tx, db.ScanText, `
		SELECT p.id
		FROM products p
		WHERE p.id IN `+list+` AND (
			EXISTS (
				SELECT 1
				FROM coupon_scopes s
				WHERE s.coupon_id = ? AND s.product_id = p.id
			) OR EXISTS (
				SELECT 1
				FROM coupon_scopes s
				JOIN collection_products cp ON cp.collection_id = s.collection_id
				WHERE s.coupon_id = ? AND cp.product_id = p.id
			))`, append(args, couponID, couponID)...)
	if err != nil {
		return nil, fmt.Errorf("find products in scope: %w", err)
	}
	return ids, nil
}

// upsertCoupon inserts a coupon or replaces the one with its ID.
func upsertCoupon(tx *db.Tx, c Coupon) error {
	code, key := &c.Code, new(couponKey(c.Code))
	if c.isAutomatic() {
		code, key = nil, nil
	}
	minSubtotal := int64(0)
	if c.MinSubtotal != nil {
		minSubtotal = *c.MinSubtotal
	}
	_, err := tx.Exec(`
		INSERT INTO coupons (id, code, code_key, kind, basis_points, amount, max_discount, min_subtotal, starts_at, ends_at,
			usage_limit, customer_limit, requires_login, active, scoped, created_at, updated_at,
			title, buy_quantity, get_quantity, got_scoped)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET
			code = excluded.code, code_key = excluded.code_key, title = excluded.title,
			kind = excluded.kind, basis_points = excluded.basis_points, amount = excluded.amount,
			max_discount = excluded.max_discount, min_subtotal = excluded.min_subtotal, starts_at = excluded.starts_at,
			ends_at = excluded.ends_at, usage_limit = excluded.usage_limit, customer_limit = excluded.customer_limit,
			requires_login = excluded.requires_login, active = excluded.active, scoped = excluded.scoped, updated_at = excluded.updated_at,
			buy_quantity = excluded.buy_quantity, get_quantity = excluded.get_quantity, got_scoped = excluded.got_scoped`,
		c.ID, code, key, c.Kind, c.BasisPoints, c.Amount, c.MaxDiscount, minSubtotal, c.StartsAt, c.EndsAt,
		c.UsageLimit, c.CustomerLimit, db.BoolInt(c.RequiresLogin), db.BoolInt(c.Active), db.BoolInt(c.Scoped),
		db.Millis(c.CreatedAt), db.Millis(c.UpdatedAt), c.Title, c.BuyQuantity, c.GetQuantity, db.BoolInt(c.GotScoped))
	if err != nil {
		return fmt.Errorf("save coupon: %w", err)
	}
	return nil
}

func deleteScopes(tx *db.Tx, couponID string) error {
	_, err := tx.Exec(`
		DELETE FROM coupon_scopes
		WHERE coupon_id = ?`, couponID)
	if err != nil {
		return fmt.Errorf("delete coupon scopes: %w", err)
	}
	return nil
}

// hasCouponOrders reports whether an order, open or closed, has used a coupon.
func hasCouponOrders(tx *db.Tx, c Coupon) (has bool, err error) {
	where, arg := "o.coupon_id = ?", c.ID
	if c.isAutomatic() {
		where, arg = "o.discounts IS NOT NULL AND lower(o.discounts) LIKE ?", grantPattern(c.ID)
	}
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM orders o
			WHERE `+where+`)`, arg).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("find orders of a coupon: %w", err)
	}
	return has, nil
}

func deleteCoupon(tx *db.Tx, id string) error {
	if err := tx.Do(`
		DELETE FROM coupons
		WHERE id = ?`, id); err != nil {
		return fmt.Errorf("delete coupon: %w", err)
	}
	return nil
}

// findScope returns the ID of the row of table, products or collections, with this ID or handle.
// It returns [db.ErrNotFound] if there is none.
func findScope(tx *db.Tx, table, id, handle string) (found string, err error) {
	err = tx.QueryRow(`SELECT t.id FROM `+table+` t WHERE t.id = ? OR t.handle = ?`, id, handle).Scan(&found)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		err = fmt.Errorf("find coupon scope: %w", err)
	}
	return found, err
}

// insertScopes adds products (product_id) or collections (collection_id) to the coupon's scopes, or
// to the scopes of the units to get.
func insertScopes(tx *db.Tx, couponID, column string, isGot bool, ids []string) error {
	for _, id := range ids {
		_, err := tx.Exec("INSERT INTO coupon_scopes (coupon_id, scope_id, "+column+", got) VALUES (?, ?, ?, ?)", couponID, id, id, db.BoolInt(isGot))
		if err != nil {
			return fmt.Errorf("insert coupon scope: %w", err)
		}
	}
	return nil
}
