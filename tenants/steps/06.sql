-- flags for staff, checks and returns of shipments

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

ALTER TABLE order_events ADD COLUMN detail TEXT NOT NULL DEFAULT '';
