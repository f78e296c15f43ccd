-- calls, notes, tags and claims of orders, and contacts

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
);
