-- edited orders, orders placed by staff, advances, damaged returns

ALTER TABLE orders ADD COLUMN source text COLLATE "C" NOT NULL DEFAULT 'storefront'
	CHECK (source IN ('storefront', 'phone', 'facebook', 'instagram', 'whatsapp', 'shop', 'other'));
ALTER TABLE orders ADD COLUMN placed_by text COLLATE "C" CHECK (placed_by IS NULL OR placed_by::json IS NOT NULL);
ALTER TABLE orders ADD COLUMN staff_discount bigint NOT NULL DEFAULT 0 CHECK (staff_discount BETWEEN 0 AND discount);
ALTER TABLE orders ADD COLUMN discount_reason text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN advance bigint NOT NULL DEFAULT 0 CHECK (advance BETWEEN 0 AND total);
ALTER TABLE orders ADD COLUMN cash_refund bigint NOT NULL DEFAULT 0 CHECK (cash_refund BETWEEN 0 AND total);
UPDATE orders SET cash_refund = total WHERE payment_method = 'cod' AND payment_status IN ('refund_due', 'refunded');
ALTER TABLE order_items ADD COLUMN damaged bigint NOT NULL DEFAULT 0 CHECK (damaged BETWEEN 0 AND quantity);
CREATE TABLE order_advances (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	amount bigint NOT NULL CHECK (amount > 0),
	method text COLLATE "C" NOT NULL CHECK (method IN ('bkash', 'nagad', 'rocket', 'bank', 'cash', 'other')),
	reference text COLLATE "C" NOT NULL,
	created_by text COLLATE "C" NOT NULL CHECK (created_by IS NULL OR created_by::json IS NOT NULL),
	at bigint NOT NULL,
	PRIMARY KEY (shop, order_number, id)
);
ALTER TABLE order_advances ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;
ALTER TABLE stock_movements DROP CONSTRAINT stock_movements_reason_check;
ALTER TABLE stock_movements ADD CHECK (reason = 'import' OR reason = 'adjustment' OR reason = 'order' OR reason = 'cancel'
	OR reason = 'expiry' OR reason = 'return' OR reason = 'edit' OR reason = 'damaged');
DROP INDEX orders_by_placed;
CREATE INDEX orders_by_placed ON orders (shop, placed_at, number, status, test, payment_status, fulfillment_status, payment_method,
	courier, shipment_status, city, total, updated_at, source);
