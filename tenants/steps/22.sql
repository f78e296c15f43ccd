-- a line per shipment and statement in the COD ledger

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
ALTER TABLE new_cash_entries RENAME TO cash_entries;
