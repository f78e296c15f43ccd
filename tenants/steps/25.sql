-- edited orders, orders placed by staff, advances, damaged returns

ALTER TABLE orders ADD COLUMN source TEXT NOT NULL DEFAULT 'storefront'
	CHECK (source IN ('storefront', 'phone', 'facebook', 'instagram', 'whatsapp', 'shop', 'other'));
ALTER TABLE orders ADD COLUMN placed_by TEXT CHECK (json_valid(placed_by));
ALTER TABLE orders ADD COLUMN staff_discount INTEGER NOT NULL DEFAULT 0 CHECK (staff_discount BETWEEN 0 AND discount);
ALTER TABLE orders ADD COLUMN discount_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN advance INTEGER NOT NULL DEFAULT 0 CHECK (advance BETWEEN 0 AND total);
ALTER TABLE orders ADD COLUMN cash_refund INTEGER NOT NULL DEFAULT 0 CHECK (cash_refund BETWEEN 0 AND total);
UPDATE orders SET cash_refund = total WHERE payment_method = 'cod' AND payment_status IN ('refund_due', 'refunded');
ALTER TABLE order_items ADD COLUMN damaged INTEGER NOT NULL DEFAULT 0 CHECK (damaged BETWEEN 0 AND quantity);

CREATE TABLE order_advances (
	order_number INTEGER NOT NULL REFERENCES orders (number),
	id TEXT NOT NULL,
	amount INTEGER NOT NULL CHECK (amount > 0),
	method TEXT NOT NULL CHECK (method IN ('bkash', 'nagad', 'rocket', 'bank', 'cash', 'other')),
	reference TEXT NOT NULL,
	created_by TEXT NOT NULL CHECK (json_valid(created_by)),
	at INTEGER NOT NULL,
	PRIMARY KEY (order_number, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE new_movements (
	variant_id   TEXT    NOT NULL REFERENCES variants (id) ON DELETE CASCADE,
	id           TEXT    NOT NULL,
	delta        INTEGER NOT NULL CHECK (delta <> 0),
	reason       TEXT    NOT NULL CHECK (reason = 'import' OR reason = 'adjustment' OR reason = 'order' OR reason = 'cancel' OR reason = 'expiry' OR reason = 'return' OR reason = 'edit' OR reason = 'damaged'),
	order_number INTEGER REFERENCES orders (number),
	note         TEXT    NOT NULL,
	at           INTEGER NOT NULL,
	PRIMARY KEY (variant_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_movements (variant_id, id, delta, reason, order_number, note, at)
SELECT variant_id, id, delta, reason, order_number, note, at
FROM stock_movements
ORDER BY variant_id, id;
DROP TABLE stock_movements;
ALTER TABLE new_movements RENAME TO stock_movements;

DROP INDEX orders_by_placed;
CREATE INDEX orders_by_placed ON orders (placed_at, number, status, test, payment_status, fulfillment_status, payment_method, courier,
	shipment_status, city, total, updated_at, source);
