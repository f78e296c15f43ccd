package tenants

import (
	"slices"

	"storefront/db"
)

// Steps returns the schema steps, oldest first, that upgrade a shop's file from the first released
// schema to the newest, which is schema.sql. The caller may append to the result.
func Steps() []db.Step { return slices.Clone(steps) }

// newestSchema returns the version of schema.sql; the first released schema is version 1.
func newestSchema() int { return len(steps) + 1 }

// steps are the schema steps. A released step must never change.
var steps = []db.Step{
	{Name: "revisions of products", SQL: `
		ALTER TABLE products ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
		CREATE INDEX products_by_number ON products (number, status, published_at, id);`},
	{Name: "orders are written faster", SQL: `
		ALTER TABLE stock_movements RENAME TO unordered_movements;
		CREATE TABLE stock_movements (
			variant_id TEXT    NOT NULL REFERENCES variants (id) ON DELETE CASCADE,
			id         TEXT    NOT NULL,
			delta      INTEGER NOT NULL CHECK (delta <> 0),
			reason     TEXT    NOT NULL CHECK (reason = 'import' OR reason = 'adjustment' OR reason = 'order' OR reason = 'cancel' OR reason = 'expiry' OR reason = 'return'),
			order_id   TEXT    REFERENCES orders (id),
			note       TEXT    NOT NULL,
			at         INTEGER NOT NULL,
			PRIMARY KEY (variant_id, id)
		) STRICT, WITHOUT ROWID;
		INSERT INTO stock_movements (variant_id, id, delta, reason, order_id, note, at)
		SELECT variant_id, id, delta, reason, order_id, note, at
		FROM unordered_movements
		ORDER BY variant_id, id;
		DROP TABLE unordered_movements;
		CREATE INDEX stock_movements_by_order ON stock_movements (order_id) WHERE order_id IS NOT NULL;

		ALTER TABLE order_events RENAME TO unordered_events;
		CREATE TABLE order_events (
			order_id TEXT    NOT NULL REFERENCES orders (id),
			at       INTEGER NOT NULL,
			id       TEXT    NOT NULL,
			type     TEXT    NOT NULL CHECK (type <> ''),
			message  TEXT    NOT NULL,
			cause    TEXT    NOT NULL CHECK (cause = 'buyer' OR cause = 'staff' OR cause = 'shop' OR cause = 'gateway_a' OR cause = 'gateway_b' OR cause = 'courier_a' OR cause = 'courier_b'),
			PRIMARY KEY (order_id, at, id)
		) STRICT, WITHOUT ROWID;
		INSERT INTO order_events (order_id, at, id, type, message, cause)
		SELECT order_id, at, id, type, message, cause
		FROM unordered_events
		ORDER BY order_id, at, id;
		DROP TABLE unordered_events;

		CREATE TABLE new_orders (
			id                 TEXT    NOT NULL PRIMARY KEY,
			number             INTEGER NOT NULL UNIQUE,
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
		) STRICT, WITHOUT ROWID;
		INSERT INTO new_orders (id, number, status, payment_status, fulfillment_status, payment_method, test,
			customer_id, customer_name, customer_phone, customer_email, line1, line2, area, city, postcode, country,
			note, delivery_charge_id, delivery_name, coupon_id, coupon_code, subtotal, discount, delivery_charge,
			rounding, total, cancel_reason, placed_at, expires_at, updated_at)
		SELECT id, number, status, payment_status, fulfillment_status, payment_method, test, customer_id,
			customer_name, customer_phone, customer_email, line1, line2, area, city, postcode, country, note,
			delivery_charge_id, delivery_name, coupon_id, coupon_code, subtotal, discount, delivery_charge, rounding,
			total, cancel_reason, placed_at, expires_at, updated_at
		FROM orders;
		DROP TABLE orders;
		ALTER TABLE new_orders RENAME TO orders;
		CREATE INDEX orders_by_customer ON orders (customer_id, placed_at, id) WHERE customer_id IS NOT NULL;
		CREATE INDEX orders_by_phone ON orders (customer_phone, placed_at, id);
		CREATE INDEX orders_by_placed ON orders (placed_at, id);
		CREATE INDEX orders_by_status ON orders (status, placed_at, id);
		CREATE INDEX orders_by_expiry ON orders (expires_at) WHERE expires_at IS NOT NULL;
		CREATE INDEX orders_by_coupon ON orders (coupon_id, customer_phone) WHERE coupon_id IS NOT NULL;`},
	{Name: "orders lie in the order of their numbers", SQL: `
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
		CREATE INDEX orders_by_coupon ON orders (coupon_id, customer_phone) WHERE coupon_id IS NOT NULL;`},
	{Name: "unproven phones identify nobody", SQL: `
		CREATE TABLE new_customers (
			id                TEXT    NOT NULL PRIMARY KEY,
			name              TEXT    NOT NULL,
			email             TEXT    UNIQUE,
			phone             TEXT    UNIQUE,
			email_verified_at INTEGER,
			phone_verified_at INTEGER,
			email_trusted     INTEGER NOT NULL DEFAULT 1 CHECK (email_trusted IN (0, 1)),
			phone_trusted     INTEGER NOT NULL DEFAULT 1 CHECK (phone_trusted IN (0, 1)),
			password_hash     TEXT,
			password_reset    INTEGER NOT NULL DEFAULT 0 CHECK (password_reset IN (0, 1)),
			token_version     INTEGER NOT NULL DEFAULT 1,
			created_at        INTEGER NOT NULL,
			updated_at        INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;
		INSERT INTO new_customers (id, name, email, phone, email_verified_at, phone_verified_at, password_hash,
			password_reset, token_version, created_at, updated_at)
		SELECT id, name, email, phone, email_verified_at, phone_verified_at, password_hash, password_reset,
			token_version, created_at, updated_at
		FROM customers
		ORDER BY id;
		DROP TABLE customers;
		ALTER TABLE new_customers RENAME TO customers;
		CREATE INDEX customers_by_created ON customers (created_at, id);`},
	{Name: "flags for staff, checks and returns of shipments", SQL: `
		CREATE TABLE order_flags (
			order_id    TEXT    NOT NULL REFERENCES orders (id),
			shipment_id TEXT    NOT NULL,
			code        TEXT    NOT NULL CHECK (code <> ''),
			message     TEXT    NOT NULL,
			raised_at   INTEGER NOT NULL,
			resolved_at INTEGER,
			PRIMARY KEY (order_id, shipment_id, code)
		) STRICT, WITHOUT ROWID;
		CREATE INDEX order_flags_open ON order_flags (raised_at) WHERE resolved_at IS NULL;

		ALTER TABLE shipments ADD COLUMN return_id TEXT CHECK (return_id <> '');
		ALTER TABLE shipments ADD COLUMN checks INTEGER NOT NULL DEFAULT 0;
		ALTER TABLE shipments ADD COLUMN check_at INTEGER;
		CREATE INDEX shipments_by_return ON shipments (provider, return_id) WHERE return_id IS NOT NULL;
		CREATE INDEX shipments_open ON shipments (updated_at) WHERE status NOT IN ('delivered', 'returned', 'cancelled', 'exchanged');

		ALTER TABLE order_events ADD COLUMN detail TEXT NOT NULL DEFAULT '';`},
	{Name: "sign-ins are limited by network and known client", SQL: `
		ALTER TABLE otp_codes ADD COLUMN network BLOB;
		CREATE INDEX unverified_otp_by_network ON otp_codes (network, created_at) WHERE used_at IS NULL AND network IS NOT NULL;

		CREATE TABLE known_clients (
			customer_id TEXT    NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
			client      BLOB    NOT NULL,
			last_at     INTEGER NOT NULL,
			PRIMARY KEY (customer_id, client)
		) STRICT, WITHOUT ROWID;`},
	{Name: "refunds of a part of a payment", SQL: `
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
		CREATE INDEX orders_by_coupon ON orders (coupon_id, customer_phone) WHERE coupon_id IS NOT NULL;`},
	{Name: "unconfirmed cash orders of unproven buyers", SQL: `
		ALTER TABLE orders ADD COLUMN client BLOB;
		CREATE INDEX orders_by_client ON orders (client, placed_at) WHERE client IS NOT NULL;
		CREATE INDEX orders_unproven ON orders (customer_phone, placed_at) WHERE client IS NOT NULL;
		CREATE INDEX orders_unconfirmed ON orders (placed_at) WHERE client IS NOT NULL AND status = 'pending' AND customer_id IS NULL;`},
}
