-- orders of customers and guests

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
CREATE INDEX guests_by_name ON contacts (shop, lower(name), phone, orders) WHERE orders > 0;
