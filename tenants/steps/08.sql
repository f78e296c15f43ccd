-- refunds of a part of a payment

CREATE TABLE refunds (
	id          TEXT    NOT NULL PRIMARY KEY,
	attempt_id  TEXT    NOT NULL REFERENCES payment_attempts (id),
	amount      INTEGER NOT NULL CHECK (amount > 0),
	status      TEXT    NOT NULL CHECK (status IN ('requested', 'processing', 'unclear', 'done', 'failed')),
	by_hand     INTEGER NOT NULL CHECK (by_hand IN (0, 1)),
	external_id TEXT    NOT NULL,
	reason      TEXT    NOT NULL,
	claimed_at  INTEGER,
	due_at      INTEGER,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX refunds_by_attempt ON refunds (attempt_id, id);
CREATE INDEX refunds_due ON refunds (due_at) WHERE due_at IS NOT NULL;
INSERT INTO refunds (id, attempt_id, amount, status, by_hand, external_id, reason, claimed_at, due_at, created_at, updated_at)
SELECT a.id, a.id, a.amount, 'done', CASE WHEN COALESCE(c.refund_id, '') = '' THEN 1 ELSE 0 END,
	COALESCE(c.refund_id, ''), '', NULL, NULL, a.updated_at, a.updated_at
FROM payment_attempts a
LEFT JOIN payment_checks c ON c.attempt_id = a.id
WHERE a.status = 'refunded';
INSERT INTO refunds (id, attempt_id, amount, status, by_hand, external_id, reason, claimed_at, due_at, created_at, updated_at)
SELECT a.id, a.id, a.amount, CASE WHEN c.refund_id = '' THEN 'requested' ELSE 'processing' END, 0,
	c.refund_id, c.reason, a.updated_at, COALESCE(c.due_at, a.updated_at), a.updated_at, a.updated_at
FROM payment_attempts a
JOIN payment_checks c ON c.attempt_id = a.id
WHERE a.status = 'refund_due' AND c.refunding = 1;
ALTER TABLE payment_attempts ADD COLUMN refunded INTEGER NOT NULL DEFAULT 0 CHECK (refunded BETWEEN 0 AND amount);
UPDATE payment_attempts SET refunded = amount WHERE status = 'refunded';
UPDATE payment_checks SET due_at = NULL WHERE refunding = 1;
ALTER TABLE payment_checks DROP COLUMN refund_id;
ALTER TABLE payment_checks DROP COLUMN refunding;

CREATE TABLE new_orders (
	number             INTEGER NOT NULL PRIMARY KEY,
	id                 TEXT    NOT NULL UNIQUE,
	status             TEXT    NOT NULL CHECK (status = 'pending' OR status = 'pending_payment' OR status = 'confirmed' OR status = 'processing' OR status = 'completed' OR status = 'cancelled' OR status = 'expired' OR status = 'returned'),
	payment_status     TEXT    NOT NULL CHECK (payment_status = 'unpaid' OR payment_status = 'pending' OR payment_status = 'paid' OR payment_status = 'needs_review' OR payment_status = 'refund_due' OR payment_status = 'refunded' OR payment_status = 'partially_refunded'),
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
	CONSTRAINT cod_never_awaits_gateway CHECK (status <> 'pending_payment' OR payment_method <> 'cod'),
	CONSTRAINT only_the_unpaid_expire   CHECK (expires_at IS NULL OR status = 'pending_payment'),
	CONSTRAINT completed_is_delivered   CHECK (status <> 'completed' OR fulfillment_status = 'delivered' AND payment_status NOT IN ('unpaid', 'pending')),
	CONSTRAINT returned_orders_are_returned         CHECK (status <> 'returned' OR fulfillment_status = 'returned'),
	CONSTRAINT closed_orders_are_not_paid   CHECK (status <> 'cancelled' AND status <> 'expired' AND status <> 'returned' OR payment_status NOT IN ('paid', 'partially_refunded') OR total = 0)
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
