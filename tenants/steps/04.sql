-- orders lie in the order of their numbers

CREATE TABLE new_movements (
	variant_id   TEXT    NOT NULL REFERENCES variants (id) ON DELETE CASCADE,
	id           TEXT    NOT NULL,
	delta        INTEGER NOT NULL CHECK (delta <> 0),
	reason       TEXT    NOT NULL CHECK (reason = 'import' OR reason = 'adjustment' OR reason = 'order' OR reason = 'cancel' OR reason = 'expiry' OR reason = 'return'),
	order_number INTEGER REFERENCES orders (number),
	note         TEXT    NOT NULL,
	at           INTEGER NOT NULL,
	PRIMARY KEY (variant_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_movements (variant_id, id, delta, reason, order_number, note, at)
SELECT m.variant_id, m.id, m.delta, m.reason, o.number, m.note, m.at
FROM stock_movements m
LEFT JOIN orders o ON o.id = m.order_id
ORDER BY m.variant_id, m.id;
DROP TABLE stock_movements;
ALTER TABLE new_movements RENAME TO stock_movements;

CREATE TABLE new_items (
	order_number  INTEGER NOT NULL REFERENCES orders (number),
	position      INTEGER NOT NULL,
	product_id    TEXT    NOT NULL,
	variant_id    TEXT    NOT NULL,
	title         TEXT    NOT NULL,
	variant_title TEXT    NOT NULL,
	sku           TEXT    NOT NULL,
	image_url     TEXT    NOT NULL,
	quantity      INTEGER NOT NULL CHECK (quantity > 0),
	unit_price    INTEGER NOT NULL CHECK (unit_price >= 0),
	discount      INTEGER NOT NULL CHECK (discount >= 0),
	stock_taken   INTEGER NOT NULL CHECK (stock_taken IN (0, 1)),
	PRIMARY KEY (order_number, position)
) STRICT, WITHOUT ROWID;
INSERT INTO new_items (order_number, position, product_id, variant_id, title, variant_title, sku, image_url,
	quantity, unit_price, discount, stock_taken)
SELECT o.number, i.position, i.product_id, i.variant_id, i.title, i.variant_title, i.sku, i.image_url,
	i.quantity, i.unit_price, i.discount, i.stock_taken
FROM order_items i
JOIN orders o ON o.id = i.order_id
ORDER BY o.number, i.position;
DROP TABLE order_items;
ALTER TABLE new_items RENAME TO order_items;

CREATE TABLE new_events (
	order_number INTEGER NOT NULL REFERENCES orders (number),
	at           INTEGER NOT NULL,
	id           TEXT    NOT NULL,
	type         TEXT    NOT NULL CHECK (type <> ''),
	message      TEXT    NOT NULL,
	cause        TEXT    NOT NULL CHECK (cause = 'buyer' OR cause = 'staff' OR cause = 'shop' OR cause = 'gateway_a' OR cause = 'gateway_b' OR cause = 'courier_a' OR cause = 'courier_b'),
	PRIMARY KEY (order_number, at, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_events (order_number, at, id, type, message, cause)
SELECT o.number, e.at, e.id, e.type, e.message, e.cause
FROM order_events e
JOIN orders o ON o.id = e.order_id
ORDER BY o.number, e.at, e.id;
DROP TABLE order_events;
ALTER TABLE new_events RENAME TO order_events;

CREATE TABLE new_orders (
	number             INTEGER NOT NULL PRIMARY KEY,
	id                 TEXT    NOT NULL UNIQUE,
	status             TEXT    NOT NULL CHECK (status = 'pending' OR status = 'pending_payment' OR status = 'confirmed' OR status = 'processing' OR status = 'completed' OR status = 'cancelled' OR status = 'expired' OR status = 'returned'),
	payment_status     TEXT    NOT NULL CHECK (payment_status = 'unpaid' OR payment_status = 'pending' OR payment_status = 'paid' OR payment_status = 'needs_review' OR payment_status = 'refund_due' OR payment_status = 'refunded'),
	fulfillment_status TEXT    NOT NULL CHECK (fulfillment_status = 'unfulfilled' OR fulfillment_status = 'in_progress' OR fulfillment_status = 'partially_delivered' OR fulfillment_status = 'delivered' OR fulfillment_status = 'returning' OR fulfillment_status = 'returned'),
	payment_method     TEXT    NOT NULL CHECK (payment_method = 'cod' OR payment_method = 'gateway_a' OR payment_method = 'gateway_b'),
	test               INTEGER NOT NULL CHECK (test IN (0, 1)),
	customer_id        TEXT    REFERENCES customers (id) ON DELETE SET NULL,
	customer_name      TEXT    NOT NULL,
	customer_phone     TEXT    NOT NULL,
	customer_email     TEXT,
	line1              TEXT    NOT NULL,
	line2              TEXT    NOT NULL,
	area               TEXT    NOT NULL,
	city               TEXT    NOT NULL,
	postcode           TEXT    NOT NULL,
	country            TEXT    NOT NULL,
	note               TEXT    NOT NULL,
	delivery_charge_id TEXT    NOT NULL,
	delivery_name      TEXT    NOT NULL,
	coupon_id          TEXT    REFERENCES coupons (id),
	coupon_code        TEXT,
	subtotal           INTEGER NOT NULL CHECK (subtotal >= 0),
	discount           INTEGER NOT NULL CHECK (discount BETWEEN 0 AND subtotal),
	delivery_charge    INTEGER NOT NULL CHECK (delivery_charge >= 0),
	rounding           INTEGER NOT NULL CHECK (rounding >= 0),
	total              INTEGER NOT NULL CHECK (total >= 0),
	cancel_reason      TEXT    NOT NULL DEFAULT '',
	placed_at          INTEGER NOT NULL,
	expires_at         INTEGER,
	updated_at         INTEGER NOT NULL,
	CONSTRAINT total_is_the_sum         CHECK (total = subtotal - discount + delivery_charge - rounding),
	CONSTRAINT cash_waits_for_no_gateway CHECK (status <> 'pending_payment' OR payment_method <> 'cod'),
	CONSTRAINT only_the_unpaid_expire   CHECK (expires_at IS NULL OR status = 'pending_payment'),
	CONSTRAINT completed_is_delivered   CHECK (status <> 'completed' OR fulfillment_status = 'delivered' AND payment_status NOT IN ('unpaid', 'pending')),
	CONSTRAINT returned_is_back         CHECK (status <> 'returned' OR fulfillment_status = 'returned'),
	CONSTRAINT the_dead_keep_no_money   CHECK (status <> 'cancelled' AND status <> 'expired' AND status <> 'returned' OR payment_status <> 'paid' OR total = 0)
) STRICT;
INSERT INTO new_orders (id, number, status, payment_status, fulfillment_status, payment_method, test,
	customer_id, customer_name, customer_phone, customer_email, line1, line2, area, city, postcode, country,
	note, delivery_charge_id, delivery_name, coupon_id, coupon_code, subtotal, discount, delivery_charge,
	rounding, total, cancel_reason, placed_at, expires_at, updated_at)
SELECT id, number, status, payment_status, fulfillment_status, payment_method, test, customer_id,
	customer_name, customer_phone, customer_email, line1, line2, area, city, postcode, country, note,
	delivery_charge_id, delivery_name, coupon_id, coupon_code, subtotal, discount, delivery_charge, rounding,
	total, cancel_reason, placed_at, expires_at, updated_at
FROM orders
ORDER BY number;
DROP TABLE orders;
ALTER TABLE new_orders RENAME TO orders;
CREATE INDEX orders_by_customer ON orders (customer_id, placed_at) WHERE customer_id IS NOT NULL;
CREATE INDEX orders_by_phone ON orders (customer_phone, placed_at);
CREATE INDEX orders_by_placed ON orders (placed_at);
CREATE INDEX orders_by_status ON orders (status, placed_at);
CREATE INDEX orders_by_expiry ON orders (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX orders_by_coupon ON orders (coupon_id, customer_phone) WHERE coupon_id IS NOT NULL;
