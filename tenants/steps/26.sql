-- calls, notes, tags and claims of orders, and contacts

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
) STRICT, WITHOUT ROWID;
