-- current amounts of the COD ledger

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
GROUP BY e.shipment_id;
