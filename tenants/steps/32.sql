-- stored cash of shipments and sums of couriers

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
) STRICT, WITHOUT ROWID;
