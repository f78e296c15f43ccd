-- stored cash of shipments and sums of couriers

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
);
