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
	{Name: "codes sent by e-mail", SQL: `
		CREATE TABLE email_codes (
			id          TEXT    NOT NULL PRIMARY KEY,
			email       TEXT    NOT NULL,
			purpose     TEXT    NOT NULL CHECK (purpose IN ('sign_in', 'password_reset')),
			client      BLOB    NOT NULL,
			network     BLOB,
			code_hash   BLOB    NOT NULL,
			state       TEXT    NOT NULL CHECK (state IN ('sending', 'sent', 'unknown', 'withheld')),
			message_id  TEXT    NOT NULL,
			wrong_tries INTEGER NOT NULL DEFAULT 0 CHECK (wrong_tries BETWEEN 0 AND 3),
			used_at     INTEGER,
			created_at  INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;
		CREATE INDEX email_codes_by_email ON email_codes (email, created_at, id);
		CREATE INDEX email_codes_by_age ON email_codes (created_at);
		CREATE INDEX unused_email_codes_by_client ON email_codes (client, created_at) WHERE used_at IS NULL;
		CREATE INDEX unused_email_codes_by_network ON email_codes (network, created_at) WHERE used_at IS NULL AND network IS NOT NULL;
		CREATE INDEX unused_email_codes_by_age ON email_codes (created_at) WHERE used_at IS NULL;
		CREATE INDEX tried_email_codes_by_age ON email_codes (created_at, wrong_tries) WHERE wrong_tries > 0;
		CREATE INDEX orders_by_email ON orders (customer_email, placed_at) WHERE customer_email IS NOT NULL;`},
	{Name: "messages to buyers", SQL: `
		CREATE TABLE buyer_messages (
			order_number INTEGER NOT NULL REFERENCES orders (number),
			event        TEXT    NOT NULL CHECK (event <> ''),
			subject      TEXT    NOT NULL,
			channel      TEXT    NOT NULL CHECK (channel IN ('sms', 'email')),
			status       TEXT    NOT NULL CHECK (status IN ('queued', 'sending', 'sent', 'unknown', 'failed', 'skipped')),
			reason       TEXT    NOT NULL,
			attempts     INTEGER NOT NULL CHECK (attempts >= 0),
			message_id   TEXT    NOT NULL,
			segments     INTEGER NOT NULL CHECK (segments >= 0),
			due_at       INTEGER,
			created_at   INTEGER NOT NULL,
			updated_at   INTEGER NOT NULL,
			PRIMARY KEY (order_number, event, subject, channel)
		) STRICT, WITHOUT ROWID;
		CREATE INDEX buyer_messages_due ON buyer_messages (due_at) WHERE due_at IS NOT NULL;
		CREATE INDEX buyer_messages_by_age ON buyer_messages (created_at);
		CREATE INDEX buyer_messages_sent ON buyer_messages (channel, updated_at, segments) WHERE segments > 0;`},
	{Name: "costs of variants, and imports in slices", SQL: `
		ALTER TABLE variants ADD COLUMN cost INTEGER CHECK (cost >= 0);

		CREATE TABLE imports (
			id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
			first_id   TEXT    NOT NULL,
			last_id    TEXT    NOT NULL,
			started_at INTEGER NOT NULL
		) STRICT;`},
	{Name: "API keys expire, and order tokens are replaced", SQL: `
		ALTER TABLE admin_tokens ADD COLUMN expires_at INTEGER;
		CREATE TABLE order_tokens (
			order_id  TEXT    NOT NULL PRIMARY KEY REFERENCES orders (id),
			revision  INTEGER NOT NULL CHECK (revision > 0),
			issued_at INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;`},
	{Name: "used proofs of work", SQL: `
		CREATE TABLE work_proofs (
			key        BLOB    NOT NULL PRIMARY KEY,
			expires_at INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;
		CREATE INDEX work_proofs_by_expiry ON work_proofs (expires_at);`},
	{Name: "current amounts of the COD ledger", SQL: `
		CREATE TABLE cash_statements (
			name TEXT    NOT NULL PRIMARY KEY,
			at   INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;
		INSERT INTO cash_statements (name, at)
		SELECT reference, MIN(at)
		FROM cash_entries
		WHERE source = 'statement'
		GROUP BY reference;

		CREATE TABLE new_cash_entries (
			id          TEXT    NOT NULL,
			shipment_id TEXT    NOT NULL REFERENCES shipments (id),
			kind        TEXT    NOT NULL CHECK (kind IN ('due', 'collected', 'fee', 'remitted')),
			amount      INTEGER CHECK (amount >= 0),
			source      TEXT    NOT NULL CHECK (source IN ('order', 'event', 'statement')),
			reference   TEXT    NOT NULL,
			at          INTEGER NOT NULL,
			PRIMARY KEY (shipment_id, kind, source, reference, at),
			CONSTRAINT only_payouts_may_be_untold CHECK (amount IS NOT NULL OR kind = 'remitted')
		) STRICT, WITHOUT ROWID;
		INSERT INTO new_cash_entries (id, shipment_id, kind, amount, source, reference, at)
		SELECT id, shipment_id, kind, amount, source, reference, at
		FROM cash_entries
		ORDER BY shipment_id, kind, source, reference, at;
		DROP TABLE cash_entries;
		ALTER TABLE new_cash_entries RENAME TO cash_entries;

		CREATE TABLE cash_lines (
			shipment_id TEXT    NOT NULL PRIMARY KEY REFERENCES shipments (id),
			due         INTEGER CHECK (due >= 0),
			due_changed INTEGER NOT NULL CHECK (due_changed IN (0, 1)),
			collected   INTEGER CHECK (collected >= 0),
			fee         INTEGER CHECK (fee >= 0),
			fee_whole   INTEGER NOT NULL CHECK (fee_whole IN (0, 1)),
			paid_out    INTEGER NOT NULL CHECK (paid_out IN (0, 1)),
			remitted    INTEGER CHECK (remitted >= 0),
			reconciled  INTEGER NOT NULL CHECK (reconciled IN (0, 1)),
			source      TEXT    NOT NULL CHECK (source IN ('order', 'event', 'statement')),
			at          INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;
		INSERT INTO cash_lines (shipment_id, due, due_changed, collected, fee, fee_whole, paid_out, remitted, reconciled, source, at)
		SELECT e.shipment_id,
			(SELECT n.amount FROM cash_entries n WHERE n.shipment_id = e.shipment_id AND n.kind = 'due' ORDER BY n.at DESC, n.source DESC, n.id DESC LIMIT 1),
			COALESCE((SELECT n.source = 'event' FROM cash_entries n WHERE n.shipment_id = e.shipment_id AND n.kind = 'due' ORDER BY n.at DESC, n.source DESC, n.id DESC LIMIT 1), 0),
			(SELECT n.amount FROM cash_entries n WHERE n.shipment_id = e.shipment_id AND n.kind = 'collected' ORDER BY n.at DESC, n.source DESC, n.id DESC LIMIT 1),
			(SELECT n.amount FROM cash_entries n WHERE n.shipment_id = e.shipment_id AND n.kind = 'fee' ORDER BY n.at DESC, n.source DESC, n.id DESC LIMIT 1),
			COALESCE((SELECT n.source = 'statement' FROM cash_entries n WHERE n.shipment_id = e.shipment_id AND n.kind = 'fee' ORDER BY n.at DESC, n.source DESC, n.id DESC LIMIT 1), 0),
			MAX(e.kind = 'remitted'),
			(SELECT n.amount FROM cash_entries n WHERE n.shipment_id = e.shipment_id AND n.kind = 'remitted' ORDER BY n.at DESC, n.source DESC, n.id DESC LIMIT 1),
			MAX(e.kind = 'remitted' AND e.source = 'statement'),
			(SELECT n.source FROM cash_entries n WHERE n.shipment_id = e.shipment_id ORDER BY n.at DESC, n.source DESC, n.id DESC LIMIT 1),
			MAX(e.at)
		FROM cash_entries e
		GROUP BY e.shipment_id;`},
	{Name: "staff members, scopes of API keys, and the audit log", SQL: `
		ALTER TABLE admin_tokens ADD COLUMN scopes TEXT NOT NULL DEFAULT '["*"]' CHECK (json_valid(scopes));
		ALTER TABLE admin_tokens ADD COLUMN used_at INTEGER;
		ALTER TABLE admin_tokens ADD COLUMN created_by TEXT CHECK (json_valid(created_by));

		CREATE TABLE staff (
			id            TEXT    NOT NULL PRIMARY KEY,
			name          TEXT    NOT NULL,
			email         TEXT    UNIQUE,
			phone         TEXT    UNIQUE,
			role          TEXT    NOT NULL CHECK (role IN ('owner', 'manager', 'staff', 'viewer')),
			grants        TEXT    NOT NULL CHECK (json_valid(grants)),
			denies        TEXT    NOT NULL CHECK (json_valid(denies)),
			status        TEXT    NOT NULL CHECK (status IN ('invited', 'active', 'off')),
			password_hash TEXT,
			totp_step     INTEGER,
			language      TEXT    NOT NULL CHECK (language IN ('bn', 'en')),
			theme         TEXT    NOT NULL CHECK (theme IN ('system', 'light', 'dark')),
			version       INTEGER NOT NULL DEFAULT 1,
			created_at    INTEGER NOT NULL,
			updated_at    INTEGER NOT NULL,
			CONSTRAINT staff_have_a_contact CHECK (email IS NOT NULL OR phone IS NOT NULL)
		) STRICT, WITHOUT ROWID;
			CREATE TABLE staff_recovery (
			staff_id TEXT    NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
			hash     BLOB    NOT NULL,
			used_at  INTEGER,
			PRIMARY KEY (staff_id, hash)
		) STRICT, WITHOUT ROWID;
			CREATE TABLE staff_links (
			hash       BLOB    NOT NULL PRIMARY KEY,
			staff_id   TEXT    NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
			kind       TEXT    NOT NULL CHECK (kind IN ('invite', 'reset')),
			created_by TEXT    NOT NULL CHECK (json_valid(created_by)),
			created_at INTEGER NOT NULL,
			expires_at INTEGER NOT NULL,
			used_at    INTEGER
		) STRICT, WITHOUT ROWID;
		CREATE INDEX staff_links_by_staff  ON staff_links (staff_id);
		CREATE INDEX staff_links_by_expiry ON staff_links (expires_at);
			CREATE TABLE staff_sessions (
			hash       BLOB    NOT NULL PRIMARY KEY,
			id         TEXT    NOT NULL UNIQUE,
			staff_id   TEXT    NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
			client     TEXT    NOT NULL,
			agent      TEXT    NOT NULL,
			created_at INTEGER NOT NULL,
			seen_at    INTEGER NOT NULL,
			proved_at  INTEGER NOT NULL,
			expires_at INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;
		CREATE INDEX staff_sessions_by_staff  ON staff_sessions (staff_id, created_at);
		CREATE INDEX staff_sessions_by_expiry ON staff_sessions (expires_at);
			CREATE TABLE staff_codes (
			id          TEXT    NOT NULL PRIMARY KEY,
			staff_id    TEXT    NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
			client      BLOB    NOT NULL,
			code_hash   BLOB    NOT NULL,
			state       TEXT    NOT NULL CHECK (state IN ('sending', 'sent', 'unknown')),
			message_id  TEXT    NOT NULL,
			wrong_tries INTEGER NOT NULL DEFAULT 0 CHECK (wrong_tries BETWEEN 0 AND 3),
			used_at     INTEGER,
			created_at  INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;
		CREATE INDEX staff_codes_by_staff ON staff_codes (staff_id, created_at, id);
		CREATE INDEX staff_codes_by_age   ON staff_codes (created_at);
			CREATE TABLE audit_log (
			id           TEXT    NOT NULL PRIMARY KEY,
			at           INTEGER NOT NULL,
			actor_kind   TEXT    NOT NULL CHECK (actor_kind IN ('staff', 'key', 'operator', 'cli')),
			actor_id     TEXT    NOT NULL,
			actor_name   TEXT    NOT NULL,
			via          TEXT    NOT NULL CHECK (via IN ('dashboard', 'api', 'cli')),
			client       TEXT    NOT NULL,
			request_id   TEXT    NOT NULL,
			action       TEXT    NOT NULL CHECK (action <> ''),
			subject_kind TEXT    NOT NULL,
			subject_id   TEXT    NOT NULL,
			label        TEXT    NOT NULL,
			changes      TEXT    NOT NULL CHECK (json_valid(changes))
		) STRICT, WITHOUT ROWID;
		CREATE INDEX audit_log_by_time    ON audit_log (at, id);
		CREATE INDEX audit_log_by_actor   ON audit_log (actor_id, at, id);
		CREATE INDEX audit_log_by_action  ON audit_log (action, at, id);
		CREATE INDEX audit_log_by_subject ON audit_log (subject_id, at, id);`},
	{Name: "primary key of coupon scopes", SQL: `
		CREATE TABLE new_coupon_scopes (
			coupon_id     TEXT NOT NULL REFERENCES coupons (id) ON DELETE CASCADE,
			scope_id      TEXT NOT NULL,
			product_id    TEXT REFERENCES products (id) ON DELETE CASCADE,
			collection_id TEXT REFERENCES collections (id) ON DELETE CASCADE,
			PRIMARY KEY (coupon_id, scope_id),
			CHECK ((product_id IS NULL) <> (collection_id IS NULL)),
			CHECK (scope_id = COALESCE(product_id, collection_id))
		) STRICT, WITHOUT ROWID;
		INSERT INTO new_coupon_scopes (coupon_id, scope_id, product_id, collection_id)
		SELECT DISTINCT coupon_id, COALESCE(product_id, collection_id), product_id, collection_id
		FROM coupon_scopes;
		DROP TABLE coupon_scopes;
		ALTER TABLE new_coupon_scopes RENAME TO coupon_scopes;
		CREATE INDEX coupon_scopes_by_product    ON coupon_scopes (product_id) WHERE product_id IS NOT NULL;
		CREATE INDEX coupon_scopes_by_collection ON coupon_scopes (collection_id) WHERE collection_id IS NOT NULL;`},
	{Name: "imports change products in slices", SQL: `
		ALTER TABLE imports ADD COLUMN columns TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(columns));
		ALTER TABLE imports ADD COLUMN committed_at INTEGER;

		CREATE TABLE import_changes (
			position  INTEGER NOT NULL PRIMARY KEY,
			product   TEXT    NOT NULL CHECK (json_valid(product)),
			sanitized INTEGER NOT NULL CHECK (sanitized IN (0, 1))
		) STRICT;`},
	{Name: "orders by the work they need, their events and their search", SQL: `
		ALTER TABLE orders ADD COLUMN courier         TEXT    NOT NULL DEFAULT '';
		ALTER TABLE orders ADD COLUMN shipment_status TEXT    NOT NULL DEFAULT '';
		ALTER TABLE orders ADD COLUMN attention       TEXT    NOT NULL DEFAULT '' CHECK (attention IN ('', 'review', 'unanswered', 'stray', 'shipment', 'flag'));
		ALTER TABLE orders ADD COLUMN work            INTEGER NOT NULL DEFAULT 0 CHECK (work IN (0, 1));
		CREATE INDEX parcel_bookings_unanswered ON parcel_bookings (asked_at, id) WHERE shipment_id IS NULL;
		UPDATE orders
		SET courier = p.provider, shipment_status = p.status
		FROM shipments p
		WHERE p.id = (
			SELECT n.id
			FROM shipments n
			WHERE n.order_id = orders.id
			ORDER BY n.status IN ('delivered', 'returned', 'cancelled', 'exchanged'), n.id DESC
			LIMIT 1);
		UPDATE orders
		SET attention = CASE
			WHEN payment_status = 'needs_review' THEN 'review'
			WHEN EXISTS (SELECT 1 FROM parcel_bookings b WHERE b.order_id = orders.id AND b.shipment_id IS NULL) THEN 'unanswered'
			WHEN status IN ('cancelled', 'expired', 'returned') AND EXISTS (
				SELECT 1 FROM shipments p WHERE p.order_id = orders.id AND p.status NOT IN (
					'delivered', 'partially_delivered', 'exchanged', 'returning', 'returned', 'cancelled')) THEN 'stray'
			WHEN EXISTS (SELECT 1 FROM shipments p WHERE p.order_id = orders.id AND p.status IN ('on_hold', 'delivery_failed')) THEN 'shipment'
			WHEN EXISTS (SELECT 1 FROM order_flags f WHERE f.order_id = orders.id AND f.resolved_at IS NULL) THEN 'flag'
			ELSE '' END;
		UPDATE orders
		SET work = 1
		WHERE status IN ('pending', 'pending_payment')
			OR status IN ('confirmed', 'processing') AND fulfillment_status = 'unfulfilled' AND shipment_status IN ('', 'cancelled')
			OR status IN ('confirmed', 'processing') AND shipment_status IN ('created', 'pickup_requested')
			OR shipment_status IN ('picked', 'at_hub', 'in_transit', 'out_for_delivery', 'returning')
			OR fulfillment_status = 'returning' OR payment_status = 'refund_due' OR attention <> '';
		CREATE INDEX orders_by_work ON orders (test, placed_at, status, payment_status, fulfillment_status, shipment_status, attention) WHERE work = 1;

		CREATE TABLE outbox (
			seq     INTEGER NOT NULL PRIMARY KEY,
			at      INTEGER NOT NULL,
			type    TEXT    NOT NULL CHECK (type <> ''),
			subject TEXT    NOT NULL,
			data    TEXT    NOT NULL CHECK (json_valid(data))
		) STRICT;
		CREATE TABLE cursors (
			name TEXT    NOT NULL PRIMARY KEY,
			seq  INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;
		CREATE VIRTUAL TABLE order_search USING fts5 (
			text,
			content = '', contentless_delete = 1, detail = none,
			tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
		);`},
	{Name: "words to correct searches", SQL: `
		CREATE TABLE search_words (
			length   INTEGER NOT NULL,
			word     TEXT    NOT NULL,
			reversed TEXT    NOT NULL,
			PRIMARY KEY (length, word)
		) STRICT, WITHOUT ROWID;
		CREATE UNIQUE INDEX search_words_by_end ON search_words (length, reversed);

		CREATE VIRTUAL TABLE temp.indexed_words USING fts5vocab(main, product_search, 'row');
		WITH RECURSIVE letters (word, left, reversed) AS (
			SELECT term, length(term), ''
			FROM temp.indexed_words
			WHERE length(term) BETWEEN 4 AND 32 AND term NOT GLOB '*[0-9]*'
			UNION ALL
			SELECT word, left - 1, reversed || substr(word, left, 1)
			FROM letters
			WHERE left > 0
		)
		INSERT INTO search_words (length, word, reversed)
		SELECT length(word), word, reversed
		FROM letters
		WHERE left = 0;
		DROP TABLE temp.indexed_words;`},
	{Name: "notifications of staff members", SQL: `
		ALTER TABLE staff ADD COLUMN notify TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(notify));`},
	{Name: "a line per shipment and statement in the COD ledger", SQL: `
		ALTER TABLE cash_statements ADD COLUMN complete INTEGER NOT NULL DEFAULT 1 CHECK (complete IN (0, 1));

		CREATE TABLE cash_statement_lines (
			shipment_id TEXT    NOT NULL REFERENCES shipments (id),
			statement   TEXT    NOT NULL,
			collected   INTEGER CHECK (collected >= 0),
			fee         INTEGER CHECK (fee >= 0),
			remitted    INTEGER CHECK (remitted >= 0),
			at          INTEGER NOT NULL,
			PRIMARY KEY (shipment_id, statement)
		) STRICT, WITHOUT ROWID;
		INSERT INTO cash_statement_lines (shipment_id, statement, collected, fee, remitted, at)
		SELECT shipment_id, reference, MAX(amount) FILTER (WHERE kind = 'collected'), MAX(amount) FILTER (WHERE kind = 'fee'),
			MAX(amount) FILTER (WHERE kind = 'remitted'), MAX(at)
		FROM cash_entries
		WHERE source = 'statement'
		GROUP BY shipment_id, reference;

		CREATE TABLE new_cash_entries (
			id          TEXT    NOT NULL,
			shipment_id TEXT    NOT NULL REFERENCES shipments (id),
			kind        TEXT    NOT NULL CHECK (kind IN ('due', 'collected', 'fee', 'remitted')),
			amount      INTEGER CHECK (amount >= 0),
			source      TEXT    NOT NULL CHECK (source IN ('order', 'event')),
			reference   TEXT    NOT NULL,
			at          INTEGER NOT NULL,
			PRIMARY KEY (shipment_id, kind, source, reference, at),
			CONSTRAINT only_payouts_may_be_untold CHECK (amount IS NOT NULL OR kind = 'remitted')
		) STRICT, WITHOUT ROWID;
		INSERT INTO new_cash_entries (id, shipment_id, kind, amount, source, reference, at)
		SELECT id, shipment_id, kind, amount, source, reference, at
		FROM cash_entries
		WHERE source <> 'statement'
		ORDER BY shipment_id, kind, source, reference, at;
		DROP TABLE cash_entries;
		ALTER TABLE new_cash_entries RENAME TO cash_entries;`},
	{Name: "requests of staff", SQL: `
		CREATE TABLE staff_requests (
			actor TEXT NOT NULL,
			operation TEXT NOT NULL,
			key TEXT NOT NULL,
			fingerprint BLOB NOT NULL,
			nonce TEXT NOT NULL,
			status INTEGER,
			body BLOB,
			created_at INTEGER NOT NULL,
			PRIMARY KEY (actor, operation, key)
		) STRICT, WITHOUT ROWID;
		CREATE INDEX staff_requests_by_age ON staff_requests (created_at);`},
	{Name: "indexes for lists of orders", SQL: `
		DROP INDEX orders_by_placed;
		DROP INDEX orders_by_status;
		CREATE INDEX orders_by_status ON orders (status, placed_at, number, test);
		CREATE INDEX orders_by_placed ON orders (placed_at, number, status, test, payment_status, fulfillment_status, payment_method, courier,
			shipment_status, city, total, updated_at);
		CREATE INDEX order_items_by_product ON order_items (product_id, order_number);`},
	{Name: "edited orders, orders placed by staff, advances, damaged returns", SQL: `
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
			shipment_status, city, total, updated_at, source);`, Postgres: `
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
			courier, shipment_status, city, total, updated_at, source)`},
	{Name: "calls, notes, tags and claims of orders, and contacts", SQL: `
		ALTER TABLE orders ADD COLUMN call_count    INTEGER NOT NULL DEFAULT 0 CHECK (call_count >= 0);
		ALTER TABLE orders ADD COLUMN last_call     TEXT    NOT NULL DEFAULT '';
		ALTER TABLE orders ADD COLUMN last_call_at  INTEGER;
		ALTER TABLE orders ADD COLUMN call_due_at   INTEGER;
		ALTER TABLE orders ADD COLUMN claimed_by    TEXT    CHECK (json_valid(claimed_by));
		ALTER TABLE orders ADD COLUMN claimed_until INTEGER;
		DROP INDEX orders_by_placed;
		CREATE INDEX orders_by_placed ON orders (placed_at, number, status, test, payment_status, fulfillment_status, payment_method, courier,
			shipment_status, city, total, updated_at, source, call_count, call_due_at);
		CREATE INDEX orders_call_due  ON orders (call_due_at) WHERE call_due_at IS NOT NULL;

		CREATE TABLE order_notes (
			order_number INTEGER NOT NULL REFERENCES orders (number),
			id           TEXT    NOT NULL,
			at           INTEGER NOT NULL,
			author       TEXT    NOT NULL CHECK (json_valid(author)),
			kind         TEXT    NOT NULL CHECK (kind IN ('note', 'call')),
			outcome      TEXT    NOT NULL,
			text         TEXT    NOT NULL,
			call_at      INTEGER,
			PRIMARY KEY (order_number, id)
		) STRICT, WITHOUT ROWID;
		CREATE TABLE order_tags (
			order_number INTEGER NOT NULL REFERENCES orders (number),
			tag_key      TEXT    NOT NULL CHECK (tag_key <> ''),
			tag          TEXT    NOT NULL CHECK (tag <> ''),
			PRIMARY KEY (order_number, tag_key)
		) STRICT, WITHOUT ROWID;
		CREATE INDEX order_tags_by_key ON order_tags (tag_key, order_number);
		CREATE TABLE contacts (
			phone      TEXT    NOT NULL PRIMARY KEY,
			note       TEXT    NOT NULL,
			tags       TEXT    NOT NULL CHECK (json_valid(tags)),
			blocked    TEXT    NOT NULL CHECK (blocked IN ('none', 'cash', 'all')),
			reason     TEXT    NOT NULL,
			updated_at INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;`, Postgres: `
		ALTER TABLE orders ADD COLUMN call_count bigint NOT NULL DEFAULT 0 CHECK (call_count >= 0);
		ALTER TABLE orders ADD COLUMN last_call text COLLATE "C" NOT NULL DEFAULT '';
		ALTER TABLE orders ADD COLUMN last_call_at bigint;
		ALTER TABLE orders ADD COLUMN call_due_at bigint;
		ALTER TABLE orders ADD COLUMN claimed_by text COLLATE "C" CHECK (claimed_by IS NULL OR claimed_by::json IS NOT NULL);
		ALTER TABLE orders ADD COLUMN claimed_until bigint;
		DROP INDEX orders_by_placed;
		CREATE INDEX orders_by_placed ON orders (shop, placed_at, number, status, test, payment_status, fulfillment_status, payment_method,
			courier, shipment_status, city, total, updated_at, source, call_count, call_due_at);
		CREATE INDEX orders_call_due ON orders (shop, call_due_at) WHERE call_due_at IS NOT NULL;
		CREATE TABLE order_notes (
			shop bigint NOT NULL,
			order_number bigint NOT NULL,
			id text COLLATE "C" NOT NULL,
			at bigint NOT NULL,
			author text COLLATE "C" NOT NULL CHECK (author IS NULL OR author::json IS NOT NULL),
			kind text COLLATE "C" NOT NULL CHECK (kind IN ('note', 'call')),
			outcome text COLLATE "C" NOT NULL,
			text text COLLATE "C" NOT NULL,
			call_at bigint,
			PRIMARY KEY (shop, order_number, id)
		);
		ALTER TABLE order_notes ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;
		CREATE TABLE order_tags (
			shop bigint NOT NULL,
			order_number bigint NOT NULL,
			tag_key text COLLATE "C" NOT NULL CHECK (tag_key <> ''),
			tag text COLLATE "C" NOT NULL CHECK (tag <> ''),
			PRIMARY KEY (shop, order_number, tag_key)
		);
		ALTER TABLE order_tags ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;
		CREATE INDEX order_tags_by_key ON order_tags (shop, tag_key, order_number);
		CREATE TABLE contacts (
			shop bigint NOT NULL,
			phone text COLLATE "C" NOT NULL,
			note text COLLATE "C" NOT NULL,
			tags text COLLATE "C" NOT NULL CHECK (tags IS NULL OR tags::json IS NOT NULL),
			blocked text COLLATE "C" NOT NULL CHECK (blocked IN ('none', 'cash', 'all')),
			reason text COLLATE "C" NOT NULL,
			updated_at bigint NOT NULL,
			PRIMARY KEY (shop, phone)
		)`},
	{Name: "sums of couriers' statements", SQL: `
		ALTER TABLE cash_statements ADD COLUMN courier     TEXT    NOT NULL DEFAULT '';
		ALTER TABLE cash_statements ADD COLUMN shipments   INTEGER NOT NULL DEFAULT 0;
		ALTER TABLE cash_statements ADD COLUMN collected   INTEGER NOT NULL DEFAULT 0;
		ALTER TABLE cash_statements ADD COLUMN fees        INTEGER NOT NULL DEFAULT 0;
		ALTER TABLE cash_statements ADD COLUMN paid_out    INTEGER NOT NULL DEFAULT 0;
		ALTER TABLE cash_statements ADD COLUMN differences INTEGER;
		UPDATE cash_statements
		SET courier = l.courier, shipments = l.shipments, collected = l.collected, fees = l.fees, paid_out = l.paid_out
		FROM (
			SELECT n.statement, MIN(p.provider) AS courier, COUNT(*) AS shipments, COALESCE(SUM(n.collected), 0) AS collected,
				COALESCE(SUM(n.fee), 0) AS fees, COALESCE(SUM(n.remitted), 0) AS paid_out
			FROM cash_statement_lines n
			JOIN shipments p ON p.id = n.shipment_id
			GROUP BY n.statement) l
		WHERE l.statement = cash_statements.name;`, Postgres: `
		ALTER TABLE cash_statements ADD COLUMN courier text COLLATE "C" NOT NULL DEFAULT '';
		ALTER TABLE cash_statements ADD COLUMN shipments bigint NOT NULL DEFAULT 0;
		ALTER TABLE cash_statements ADD COLUMN collected bigint NOT NULL DEFAULT 0;
		ALTER TABLE cash_statements ADD COLUMN fees bigint NOT NULL DEFAULT 0;
		ALTER TABLE cash_statements ADD COLUMN paid_out bigint NOT NULL DEFAULT 0;
		ALTER TABLE cash_statements ADD COLUMN differences bigint;
		UPDATE cash_statements
		SET courier = l.courier, shipments = l.shipments, collected = l.collected, fees = l.fees, paid_out = l.paid_out
		FROM (
			SELECT n.shop, n.statement, MIN(p.provider) AS courier, COUNT(*) AS shipments, COALESCE(SUM(n.collected), 0) AS collected,
				COALESCE(SUM(n.fee), 0) AS fees, COALESCE(SUM(n.remitted), 0) AS paid_out
			FROM cash_statement_lines n
			JOIN shipments p ON p.shop = n.shop AND p.id = n.shipment_id
			GROUP BY n.shop, n.statement) l
		WHERE l.shop = cash_statements.shop AND l.statement = cash_statements.name`},
	{Name: "jobs", SQL: `
		CREATE TABLE jobs (
			id          TEXT    NOT NULL PRIMARY KEY,
			kind        TEXT    NOT NULL CHECK (kind <> ''),
			actor       TEXT    NOT NULL CHECK (json_valid(actor)),
			client      TEXT    NOT NULL,
			request_id  TEXT    NOT NULL,
			options     TEXT    NOT NULL CHECK (json_valid(options)),
			status      TEXT    NOT NULL CHECK (status IN ('queued', 'running', 'done', 'cancelled')),
			total       INTEGER NOT NULL,
			done        INTEGER NOT NULL DEFAULT 0,
			failed      INTEGER NOT NULL DEFAULT 0,
			lease       TEXT,
			lease_until INTEGER,
			created_at  INTEGER NOT NULL,
			finished_at INTEGER
		) STRICT, WITHOUT ROWID;
		CREATE INDEX jobs_by_age     ON jobs (created_at);
		CREATE INDEX jobs_unfinished ON jobs (id) WHERE finished_at IS NULL;

		CREATE TABLE job_items (
			job_id     TEXT    NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
			position   INTEGER NOT NULL,
			subject    TEXT    NOT NULL,
			label      TEXT    NOT NULL,
			status     TEXT    NOT NULL CHECK (status IN ('waiting', 'running', 'done', 'failed')),
			started_at INTEGER,
			code       TEXT,
			message    TEXT,
			warning    TEXT,
			PRIMARY KEY (job_id, position)
		) STRICT, WITHOUT ROWID;`, Postgres: `
		CREATE TABLE jobs (
			shop bigint NOT NULL,
			id text COLLATE "C" NOT NULL,
			kind text COLLATE "C" NOT NULL,
			actor text COLLATE "C" NOT NULL,
			client text COLLATE "C" NOT NULL,
			request_id text COLLATE "C" NOT NULL,
			options text COLLATE "C" NOT NULL,
			status text COLLATE "C" NOT NULL,
			total bigint NOT NULL,
			done bigint NOT NULL DEFAULT 0,
			failed bigint NOT NULL DEFAULT 0,
			lease text COLLATE "C",
			lease_until bigint,
			created_at bigint NOT NULL,
			finished_at bigint,
			PRIMARY KEY (shop, id),
			CHECK (kind <> ''),
			CHECK (actor IS NULL OR actor::json IS NOT NULL),
			CHECK (options IS NULL OR options::json IS NOT NULL),
			CHECK (status in ('queued', 'running', 'done', 'cancelled'))
		);
		CREATE TABLE job_items (
			shop bigint NOT NULL,
			job_id text COLLATE "C" NOT NULL,
			position bigint NOT NULL,
			subject text COLLATE "C" NOT NULL,
			label text COLLATE "C" NOT NULL,
			status text COLLATE "C" NOT NULL,
			started_at bigint,
			code text COLLATE "C",
			message text COLLATE "C",
			warning text COLLATE "C",
			CHECK (status in ('waiting', 'running', 'done', 'failed')),
			PRIMARY KEY (shop, job_id, position)
		);
		CREATE INDEX jobs_by_age ON jobs (shop, created_at);
		CREATE INDEX jobs_unfinished ON jobs (shop, id) WHERE finished_at is null;
		ALTER TABLE job_items ADD FOREIGN KEY (shop, job_id) REFERENCES jobs (shop, id) ON DELETE CASCADE DEFERRABLE`},
	{Name: "staff without unused columns", SQL: `
		ALTER TABLE staff       DROP COLUMN version;
		ALTER TABLE staff_links DROP COLUMN used_at;
		CREATE INDEX staff_requests_by_actor ON staff_requests (actor, created_at);`, Postgres: `
		ALTER TABLE staff DROP COLUMN version;
		ALTER TABLE staff_links DROP COLUMN used_at;
		CREATE INDEX staff_requests_by_actor ON staff_requests (shop, actor, created_at)`},
	{Name: "printed documents of orders", SQL: `
		CREATE TABLE order_prints (
			order_number INTEGER NOT NULL REFERENCES orders (number),
			at           INTEGER NOT NULL,
			kind         TEXT    NOT NULL CHECK (kind <> ''),
			author       TEXT    NOT NULL CHECK (json_valid(author)),
			PRIMARY KEY (order_number, at, kind)
		) STRICT, WITHOUT ROWID;`, Postgres: `
		CREATE TABLE order_prints (
			shop bigint NOT NULL,
			order_number bigint NOT NULL,
			at bigint NOT NULL,
			kind text COLLATE "C" NOT NULL CHECK (kind <> ''),
			author text COLLATE "C" NOT NULL CHECK (author IS NULL OR author::json IS NOT NULL),
			PRIMARY KEY (shop, order_number, at, kind)
		);
		ALTER TABLE order_prints ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE`},
	{Name: "uploaded images", SQL: `
		CREATE TABLE media (
			id         TEXT    NOT NULL PRIMARY KEY,
			alt        TEXT    NOT NULL,
			alt_key    TEXT    NOT NULL,
			width      INTEGER NOT NULL CHECK (width > 0),
			height     INTEGER NOT NULL CHECK (height > 0),
			bytes      INTEGER NOT NULL CHECK (bytes > 0),
			format     TEXT    NOT NULL CHECK (format IN ('jpg', 'png')),
			renditions TEXT    NOT NULL CHECK (json_valid(renditions)),
			created_at INTEGER NOT NULL,
			unused_at  INTEGER,
			deleted_at INTEGER,
			purging    INTEGER NOT NULL DEFAULT 0 CHECK (purging IN (0, 1))
		) STRICT, WITHOUT ROWID;
		CREATE INDEX media_by_created ON media (created_at, id);
		CREATE INDEX media_unused     ON media (unused_at) WHERE unused_at IS NOT NULL;

		ALTER TABLE images ADD COLUMN media_id TEXT REFERENCES media (id);
		CREATE INDEX images_by_media ON images (media_id) WHERE media_id IS NOT NULL;
		ALTER TABLE collections ADD COLUMN media_id TEXT REFERENCES media (id);
		CREATE INDEX collections_by_media ON collections (media_id) WHERE media_id IS NOT NULL;

		CREATE TABLE product_handles (
			handle     TEXT    NOT NULL PRIMARY KEY,
			product_id TEXT    NOT NULL REFERENCES products (id) ON DELETE CASCADE
		) STRICT, WITHOUT ROWID;
		CREATE INDEX product_handles_by_product ON product_handles (product_id);`, Postgres: `
		CREATE TABLE media (
			shop bigint NOT NULL,
			id text COLLATE "C" NOT NULL,
			alt text COLLATE "C" NOT NULL,
			alt_key text COLLATE "C" NOT NULL,
			width bigint NOT NULL CHECK (width > 0),
			height bigint NOT NULL CHECK (height > 0),
			bytes bigint NOT NULL CHECK (bytes > 0),
			format text COLLATE "C" NOT NULL CHECK (format IN ('jpg', 'png')),
			renditions text COLLATE "C" NOT NULL CHECK (renditions IS NULL OR renditions::json IS NOT NULL),
			created_at bigint NOT NULL,
			unused_at bigint,
			deleted_at bigint,
			purging bigint NOT NULL DEFAULT 0 CHECK (purging IN (0, 1)),
			PRIMARY KEY (shop, id)
		);
		CREATE INDEX media_by_created ON media (shop, created_at, id);
		CREATE INDEX media_unused ON media (shop, unused_at) WHERE unused_at IS NOT NULL;
		ALTER TABLE images ADD COLUMN media_id text COLLATE "C";
		ALTER TABLE images ADD FOREIGN KEY (shop, media_id) REFERENCES media (shop, id) DEFERRABLE;
		CREATE INDEX images_by_media ON images (shop, media_id) WHERE media_id IS NOT NULL;
		ALTER TABLE collections ADD COLUMN media_id text COLLATE "C";
		ALTER TABLE collections ADD FOREIGN KEY (shop, media_id) REFERENCES media (shop, id) DEFERRABLE;
		CREATE INDEX collections_by_media ON collections (shop, media_id) WHERE media_id IS NOT NULL;
		CREATE TABLE product_handles (
			shop bigint NOT NULL,
			handle text COLLATE "C" NOT NULL,
			product_id text COLLATE "C" NOT NULL,
			PRIMARY KEY (shop, handle)
		);
		ALTER TABLE product_handles ADD FOREIGN KEY (shop, product_id) REFERENCES products (shop, id) ON DELETE CASCADE DEFERRABLE;
		CREATE INDEX product_handles_by_product ON product_handles (shop, product_id)`},
	{Name: "stored cash of shipments and sums of couriers", SQL: `
		CREATE TABLE shipment_cash (
			shipment_id TEXT    NOT NULL PRIMARY KEY REFERENCES shipments (id),
			courier     TEXT    NOT NULL,
			status      TEXT    NOT NULL CHECK (status IN ('', 'underWay', 'held', 'paid')),
			different   INTEGER NOT NULL CHECK (different IN (0, 1)),
			moved_at    INTEGER NOT NULL,
			expected    INTEGER NOT NULL,
			held        INTEGER NOT NULL,
			fees        INTEGER NOT NULL,
			payable     INTEGER NOT NULL,
			paid_out    INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;
		CREATE INDEX shipment_cash_by_status ON shipment_cash (status, shipment_id, courier);
		CREATE INDEX shipment_cash_held      ON shipment_cash (courier, moved_at) WHERE status = 'held';
		CREATE INDEX shipment_cash_different ON shipment_cash (shipment_id, courier) WHERE different = 1;

		CREATE TABLE cash_sums (
			courier   TEXT    NOT NULL PRIMARY KEY,
			rate      INTEGER NOT NULL,
			under_way INTEGER NOT NULL,
			expected  INTEGER NOT NULL,
			holding   INTEGER NOT NULL,
			held      INTEGER NOT NULL,
			fees      INTEGER NOT NULL,
			payable   INTEGER NOT NULL,
			paid_out  INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;`, Postgres: `
		CREATE TABLE shipment_cash (
			shop bigint NOT NULL,
			shipment_id text COLLATE "C" NOT NULL,
			courier text COLLATE "C" NOT NULL,
			status text COLLATE "C" NOT NULL CHECK (status IN ('', 'underWay', 'held', 'paid')),
			different bigint NOT NULL CHECK (different IN (0, 1)),
			moved_at bigint NOT NULL,
			expected bigint NOT NULL,
			held bigint NOT NULL,
			fees bigint NOT NULL,
			payable bigint NOT NULL,
			paid_out bigint NOT NULL,
			PRIMARY KEY (shop, shipment_id)
		);
		ALTER TABLE shipment_cash ADD FOREIGN KEY (shop, shipment_id) REFERENCES shipments (shop, id) DEFERRABLE;
		CREATE INDEX shipment_cash_by_status ON shipment_cash (shop, status, shipment_id, courier);
		CREATE INDEX shipment_cash_held ON shipment_cash (shop, courier, moved_at) WHERE status = 'held';
		CREATE INDEX shipment_cash_different ON shipment_cash (shop, shipment_id, courier) WHERE different = 1;
		CREATE TABLE cash_sums (
			shop bigint NOT NULL,
			courier text COLLATE "C" NOT NULL,
			rate bigint NOT NULL,
			under_way bigint NOT NULL,
			expected bigint NOT NULL,
			holding bigint NOT NULL,
			held bigint NOT NULL,
			fees bigint NOT NULL,
			payable bigint NOT NULL,
			paid_out bigint NOT NULL,
			PRIMARY KEY (shop, courier)
		)`},
	{Name: "webhook endpoints", SQL: `
		CREATE TABLE webhook_endpoints (
			id TEXT NOT NULL PRIMARY KEY,
			url TEXT NOT NULL,
			label TEXT NOT NULL,
			types TEXT NOT NULL CHECK (json_valid(types)),
			payload TEXT NOT NULL CHECK (payload IN ('thin', 'full')),
			active INTEGER NOT NULL CHECK (active IN (0, 1)),
			disabled_reason TEXT,
			failing_since INTEGER,
			last_at INTEGER,
			last_status INTEGER,
			since INTEGER NOT NULL,
			created_by TEXT NOT NULL CHECK (json_valid(created_by)),
			created_at INTEGER NOT NULL,
			rotated_at INTEGER
		) STRICT, WITHOUT ROWID;
		CREATE TABLE webhook_deliveries (
			id TEXT NOT NULL PRIMARY KEY,
			endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id),
			seq INTEGER,
			type TEXT NOT NULL,
			at INTEGER NOT NULL,
			status TEXT NOT NULL CHECK (status IN ('waiting', 'sent', 'failed')),
			attempts INTEGER NOT NULL CHECK (attempts >= 0),
			next_at INTEGER,
			response_status INTEGER,
			answer TEXT NOT NULL,
			error TEXT,
			took INTEGER,
			UNIQUE (endpoint_id, seq)
		) STRICT, WITHOUT ROWID;
		CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_at) WHERE next_at IS NOT NULL;
		CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (endpoint_id, at, id, status);
		CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (at);`, Postgres: `
		CREATE TABLE webhook_endpoints (
			shop bigint NOT NULL,
			id text COLLATE "C" NOT NULL,
			url text COLLATE "C" NOT NULL,
			label text COLLATE "C" NOT NULL,
			types text COLLATE "C" NOT NULL,
			payload text COLLATE "C" NOT NULL,
			active bigint NOT NULL,
			disabled_reason text COLLATE "C",
			failing_since bigint,
			last_at bigint,
			last_status bigint,
			since bigint NOT NULL,
			created_by text COLLATE "C" NOT NULL,
			created_at bigint NOT NULL,
			rotated_at bigint,
			PRIMARY KEY (shop, id),
			CHECK (types IS NULL OR types::json IS NOT NULL),
			CHECK (payload in ('thin', 'full')),
			CHECK (active in (0, 1)),
			CHECK (created_by IS NULL OR created_by::json IS NOT NULL)
		);
		CREATE TABLE webhook_deliveries (
			shop bigint NOT NULL,
			id text COLLATE "C" NOT NULL,
			endpoint_id text COLLATE "C" NOT NULL,
			seq bigint,
			type text COLLATE "C" NOT NULL,
			at bigint NOT NULL,
			status text COLLATE "C" NOT NULL,
			attempts bigint NOT NULL,
			next_at bigint,
			response_status bigint,
			answer text COLLATE "C" NOT NULL,
			error text COLLATE "C",
			took bigint,
			PRIMARY KEY (shop, id),
			CHECK (status in ('waiting', 'sent', 'failed')),
			CHECK (attempts >= 0),
			UNIQUE (shop, endpoint_id, seq)
		);
		ALTER TABLE webhook_deliveries ADD FOREIGN KEY (shop, endpoint_id) REFERENCES webhook_endpoints (shop, id) DEFERRABLE;
		CREATE INDEX webhook_deliveries_due ON webhook_deliveries (shop, endpoint_id, next_at) WHERE next_at is not null;
		CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (shop, endpoint_id, at, id, status);
		CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (shop, at)`},
	{Name: "discount given by coupons, and their last uses", SQL: `
		ALTER TABLE coupons ADD COLUMN discount_given INTEGER NOT NULL DEFAULT 0 CHECK (discount_given >= 0);
		UPDATE coupons
		SET discount_given = (
			SELECT COALESCE(SUM(o.discount - o.staff_discount), 0)
			FROM orders o
			WHERE o.coupon_id = coupons.id AND o.status NOT IN ('cancelled', 'expired'));
		CREATE INDEX orders_of_coupon ON orders (coupon_id, placed_at) WHERE coupon_id IS NOT NULL AND status NOT IN ('cancelled', 'expired');`,
		Postgres: `
		ALTER TABLE coupons ADD COLUMN discount_given bigint NOT NULL DEFAULT 0 CHECK (discount_given >= 0);
		UPDATE coupons
		SET discount_given = (
			SELECT COALESCE(SUM(o.discount - o.staff_discount), 0)
			FROM orders o
			WHERE o.shop = coupons.shop AND o.coupon_id = coupons.id AND o.status NOT IN ('cancelled', 'expired'));
		CREATE INDEX orders_of_coupon ON orders (shop, coupon_id, placed_at) WHERE coupon_id IS NOT NULL AND status NOT IN ('cancelled', 'expired')`},
	// PostgreSQL alone deletes a shop row by row.
	{Name: "indexes of references to orders", Postgres: `
		CREATE INDEX IF NOT EXISTS stock_movements_by_order_number ON stock_movements (shop, order_number) WHERE order_number IS NOT NULL;
		CREATE INDEX IF NOT EXISTS idempotency_keys_by_order_id ON idempotency_keys (shop, order_id) WHERE order_id IS NOT NULL;
		CREATE INDEX IF NOT EXISTS provider_calls_by_order_id ON provider_calls (shop, order_id) WHERE order_id IS NOT NULL`},
	{Name: "orders of customers and guests", SQL: `
		ALTER TABLE customers ADD COLUMN orders INTEGER NOT NULL DEFAULT 0 CHECK (orders >= 0);
		ALTER TABLE customers ADD COLUMN spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0);
		ALTER TABLE customers ADD COLUMN last_order_at INTEGER NOT NULL DEFAULT 0;
		UPDATE customers
		SET (orders, spent, last_order_at) = (
			SELECT COUNT(*), COALESCE(SUM(CASE WHEN o.status NOT IN ('pending_payment', 'expired', 'cancelled', 'returned') THEN o.total ELSE 0 END), 0), COALESCE(MAX(o.placed_at), 0)
			FROM orders o
			WHERE o.customer_id = customers.id AND o.test = 0);
		ALTER TABLE contacts ADD COLUMN name TEXT NOT NULL DEFAULT '';
		ALTER TABLE contacts ADD COLUMN orders INTEGER NOT NULL DEFAULT 0 CHECK (orders >= 0);
		ALTER TABLE contacts ADD COLUMN spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0);
		ALTER TABLE contacts ADD COLUMN last_order_at INTEGER NOT NULL DEFAULT 0;
		INSERT INTO contacts (phone, note, tags, blocked, reason, updated_at, orders, spent, last_order_at)
		SELECT o.customer_phone, '', '[]', 'none', '', MAX(o.placed_at), COUNT(*),
			SUM(CASE WHEN o.status NOT IN ('pending_payment', 'expired', 'cancelled', 'returned') THEN o.total ELSE 0 END), MAX(o.placed_at)
		FROM orders o
		WHERE o.customer_id IS NULL AND o.customer_phone <> '' AND o.test = 0
		GROUP BY o.customer_phone
		ON CONFLICT (phone) DO UPDATE
		SET orders = excluded.orders, spent = excluded.spent, last_order_at = excluded.last_order_at;
		UPDATE contacts
		SET name = (
			SELECT o.customer_name
			FROM orders o
			WHERE o.customer_phone = contacts.phone AND o.customer_id IS NULL AND o.test = 0
			ORDER BY o.placed_at DESC, o.number DESC
			LIMIT 1)
		WHERE orders > 0;
		CREATE INDEX customers_by_last_order ON customers (last_order_at, id, name);
		CREATE INDEX customers_by_spent ON customers (spent, id, name);
		CREATE INDEX customers_by_name ON customers (lower(name), id);
		CREATE INDEX guests_by_last_order ON contacts (last_order_at, phone, name, orders) WHERE orders > 0;
		CREATE INDEX guests_by_spent ON contacts (spent, phone, name, orders) WHERE orders > 0;
		CREATE INDEX guests_by_name ON contacts (lower(name), phone, orders) WHERE orders > 0;`,
		Postgres: `
		ALTER TABLE customers ADD COLUMN orders bigint NOT NULL DEFAULT 0 CHECK (orders >= 0);
		ALTER TABLE customers ADD COLUMN spent bigint NOT NULL DEFAULT 0 CHECK (spent >= 0);
		ALTER TABLE customers ADD COLUMN last_order_at bigint NOT NULL DEFAULT 0;
		UPDATE customers
		SET (orders, spent, last_order_at) = (
			SELECT COUNT(*), COALESCE(SUM(CASE WHEN o.status NOT IN ('pending_payment', 'expired', 'cancelled', 'returned') THEN o.total ELSE 0 END), 0), COALESCE(MAX(o.placed_at), 0)
			FROM orders o
			WHERE o.shop = customers.shop AND o.customer_id = customers.id AND o.test = 0);
		ALTER TABLE contacts ADD COLUMN name text COLLATE "C" NOT NULL DEFAULT '';
		ALTER TABLE contacts ADD COLUMN orders bigint NOT NULL DEFAULT 0 CHECK (orders >= 0);
		ALTER TABLE contacts ADD COLUMN spent bigint NOT NULL DEFAULT 0 CHECK (spent >= 0);
		ALTER TABLE contacts ADD COLUMN last_order_at bigint NOT NULL DEFAULT 0;
		INSERT INTO contacts (shop, phone, note, tags, blocked, reason, updated_at, orders, spent, last_order_at)
		SELECT o.shop, o.customer_phone, '', '[]', 'none', '', MAX(o.placed_at), COUNT(*),
			SUM(CASE WHEN o.status NOT IN ('pending_payment', 'expired', 'cancelled', 'returned') THEN o.total ELSE 0 END), MAX(o.placed_at)
		FROM orders o
		WHERE o.customer_id IS NULL AND o.customer_phone <> '' AND o.test = 0
		GROUP BY o.shop, o.customer_phone
		ON CONFLICT (shop, phone) DO UPDATE
		SET orders = excluded.orders, spent = excluded.spent, last_order_at = excluded.last_order_at;
		UPDATE contacts
		SET name = (
			SELECT o.customer_name
			FROM orders o
			WHERE o.shop = contacts.shop AND o.customer_phone = contacts.phone AND o.customer_id IS NULL AND o.test = 0
			ORDER BY o.placed_at DESC, o.number DESC
			LIMIT 1)
		WHERE orders > 0;
		CREATE INDEX customers_by_last_order ON customers (shop, last_order_at, id, name);
		CREATE INDEX customers_by_spent ON customers (shop, spent, id, name);
		CREATE INDEX customers_by_name ON customers (shop, lower(name), id);
		CREATE INDEX guests_by_last_order ON contacts (shop, last_order_at, phone, name, orders) WHERE orders > 0;
		CREATE INDEX guests_by_spent ON contacts (shop, spent, phone, name, orders) WHERE orders > 0;
		CREATE INDEX guests_by_name ON contacts (shop, lower(name), phone, orders) WHERE orders > 0`},
	{Name: "daily sums of orders", SQL: `
		CREATE TABLE day_stats (
			kind      TEXT    NOT NULL CHECK (kind IN ('all', 'product', 'courier', 'city', 'method', 'coupon')),
			day       INTEGER NOT NULL,
			key       TEXT    NOT NULL,
			orders    INTEGER NOT NULL,
			units     INTEGER NOT NULL,
			sales     INTEGER NOT NULL,
			delivery  INTEGER NOT NULL,
			revenue   INTEGER NOT NULL,
			delivered INTEGER NOT NULL,
			returned  INTEGER NOT NULL,
			cancelled INTEGER NOT NULL,
			PRIMARY KEY (kind, day, key)
		) STRICT, WITHOUT ROWID;`, Postgres: `
		CREATE TABLE day_stats (
			shop bigint NOT NULL,
			kind text COLLATE "C" NOT NULL,
			day bigint NOT NULL,
			key text COLLATE "C" NOT NULL,
			orders bigint NOT NULL,
			units bigint NOT NULL,
			sales bigint NOT NULL,
			delivery bigint NOT NULL,
			revenue bigint NOT NULL,
			delivered bigint NOT NULL,
			returned bigint NOT NULL,
			cancelled bigint NOT NULL,
			CHECK (kind IN ('all', 'product', 'courier', 'city', 'method', 'coupon')),
			PRIMARY KEY (shop, kind, day, key)
		)`},
	{Name: "webhook endpoints in the audit log", SQL: `
		UPDATE audit_log SET subject_kind = 'webhook_endpoint' WHERE subject_kind = 'webhook-endpoint';`, Postgres: `
		UPDATE audit_log SET subject_kind = 'webhook_endpoint' WHERE subject_kind = 'webhook-endpoint'`},
	// In SQLite alone: PostgreSQL's index is another. The orders are indexed again in the background.
	{Name: "faster beginnings of words in the search of orders", SQL: `
		DROP TABLE order_search;
		CREATE VIRTUAL TABLE order_search USING fts5 (
			text,
			content = '', contentless_delete = 1, detail = column,
			tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
		);
		DELETE FROM cursors WHERE name IN ('order_search', 'order_search_backfill');`, Postgres: `
		SELECT 1`},
	{Name: "packed daily sums", SQL: `
		DROP TABLE day_stats;
		CREATE TABLE day_stats (
			kind TEXT    NOT NULL CHECK (kind IN ('all', 'product', 'courier', 'city', 'area', 'method', 'coupon', 'source', 'buyer')),
			day  INTEGER NOT NULL,
			sums BLOB    NOT NULL,
			PRIMARY KEY (kind, day)
		) STRICT, WITHOUT ROWID;`, Postgres: `
		DROP TABLE day_stats;
		CREATE TABLE day_stats (
			shop bigint NOT NULL,
			kind text COLLATE "C" NOT NULL,
			day bigint NOT NULL,
			sums bytea NOT NULL,
			CHECK (kind IN ('all', 'product', 'courier', 'city', 'area', 'method', 'coupon', 'source', 'buyer')),
			PRIMARY KEY (shop, kind, day)
		)`},
	{Name: "notifications to staff members", SQL: `
		CREATE TABLE staff_notify (
			staff_id TEXT NOT NULL PRIMARY KEY REFERENCES staff (id) ON DELETE CASCADE,
			quiet_from INTEGER CHECK (quiet_from BETWEEN 0 AND 1439),
			quiet_until INTEGER CHECK (quiet_until BETWEEN 0 AND 1439),
			chat TEXT NOT NULL,
			chat_name TEXT NOT NULL,
			code_hash BLOB,
			code_expires INTEGER,
			seen INTEGER NOT NULL
		) STRICT, WITHOUT ROWID;
		CREATE TABLE push_devices (
			id TEXT NOT NULL PRIMARY KEY,
			endpoint TEXT NOT NULL UNIQUE,
			staff_id TEXT NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
			public_key BLOB NOT NULL,
			auth BLOB NOT NULL,
			agent TEXT NOT NULL,
			problem TEXT NOT NULL,
			created_at INTEGER NOT NULL,
			used_at INTEGER,
			failing_since INTEGER
		) STRICT, WITHOUT ROWID;
		CREATE INDEX push_devices_by_staff ON push_devices (staff_id);
		CREATE TABLE notifications (
			id TEXT NOT NULL PRIMARY KEY,
			staff_id TEXT NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
			channel TEXT NOT NULL CHECK (channel IN ('push', 'telegram', 'sms', 'email')),
			device_id TEXT NOT NULL,
			host TEXT NOT NULL,
			target TEXT NOT NULL,
			type TEXT NOT NULL CHECK (type <> ''),
			event TEXT NOT NULL,
			status TEXT NOT NULL CHECK (status IN ('waiting', 'sending', 'sent', 'failed', 'skipped')),
			attempts INTEGER NOT NULL CHECK (attempts >= 0),
			due_at INTEGER,
			error TEXT NOT NULL,
			at INTEGER NOT NULL,
			updated_at INTEGER NOT NULL,
			UNIQUE (target, event)
		) STRICT, WITHOUT ROWID;
		CREATE INDEX notifications_due ON notifications (target, due_at) WHERE due_at IS NOT NULL;
		CREATE INDEX notifications_by_due ON notifications (due_at) WHERE due_at IS NOT NULL;
		CREATE INDEX notifications_by_age ON notifications (at);
		CREATE INDEX notifications_by_staff ON notifications (staff_id);
		CREATE INDEX notifications_sms ON notifications (updated_at, target) WHERE channel = 'sms' AND attempts > 0;`, Postgres: `
		CREATE TABLE staff_notify (
			shop bigint NOT NULL,
			staff_id text COLLATE "C" NOT NULL,
			quiet_from bigint,
			quiet_until bigint,
			chat text COLLATE "C" NOT NULL,
			chat_name text COLLATE "C" NOT NULL,
			code_hash bytea,
			code_expires bigint,
			seen bigint NOT NULL,
			CHECK (quiet_from BETWEEN 0 AND 1439),
			CHECK (quiet_until BETWEEN 0 AND 1439),
			PRIMARY KEY (shop, staff_id)
		);
		ALTER TABLE staff_notify ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;
		CREATE TABLE push_devices (
			shop bigint NOT NULL,
			id text COLLATE "C" NOT NULL,
			endpoint text COLLATE "C" NOT NULL,
			staff_id text COLLATE "C" NOT NULL,
			public_key bytea NOT NULL,
			auth bytea NOT NULL,
			agent text COLLATE "C" NOT NULL,
			problem text COLLATE "C" NOT NULL,
			created_at bigint NOT NULL,
			used_at bigint,
			failing_since bigint,
			PRIMARY KEY (shop, id),
			UNIQUE (shop, endpoint)
		);
		ALTER TABLE push_devices ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;
		CREATE INDEX push_devices_by_staff ON push_devices (shop, staff_id);
		CREATE TABLE notifications (
			shop bigint NOT NULL,
			id text COLLATE "C" NOT NULL,
			staff_id text COLLATE "C" NOT NULL,
			channel text COLLATE "C" NOT NULL,
			device_id text COLLATE "C" NOT NULL,
			host text COLLATE "C" NOT NULL,
			target text COLLATE "C" NOT NULL,
			type text COLLATE "C" NOT NULL,
			event text COLLATE "C" NOT NULL,
			status text COLLATE "C" NOT NULL,
			attempts bigint NOT NULL,
			due_at bigint,
			error text COLLATE "C" NOT NULL,
			at bigint NOT NULL,
			updated_at bigint NOT NULL,
			CHECK (channel IN ('push', 'telegram', 'sms', 'email')),
			CHECK (type <> ''),
			CHECK (status IN ('waiting', 'sending', 'sent', 'failed', 'skipped')),
			CHECK (attempts >= 0),
			PRIMARY KEY (shop, id),
			UNIQUE (shop, target, event)
		);
		ALTER TABLE notifications ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;
		CREATE INDEX notifications_due ON notifications (shop, target, due_at) WHERE due_at IS NOT NULL;
		CREATE INDEX notifications_by_due ON notifications (shop, due_at) WHERE due_at IS NOT NULL;
		CREATE INDEX notifications_by_age ON notifications (shop, at);
		CREATE INDEX notifications_by_staff ON notifications (shop, staff_id);
		CREATE INDEX notifications_sms ON notifications (shop, updated_at, target) WHERE channel = 'sms' AND attempts > 0`},
}
