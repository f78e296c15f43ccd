-- webhook endpoints

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
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (shop, at);
