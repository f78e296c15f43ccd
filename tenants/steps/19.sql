-- orders by the work they need, their events and their search

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
);
