-- webhook endpoints

CREATE TABLE webhook_endpoints (
	id TEXT NOT NULL PRIMARY KEY,
	url TEXT NOT NULL,
	label TEXT NOT NULL,
	types TEXT NOT NULL CHECK (json_valid(types)),
	payload TEXT NOT NULL CHECK (payload IN ('thin', 'full')),
	active INTEGER NOT NULL CHECK (active IN (0, 1)),
	disabled_reason TEXT,
	failing_since INTEGER,
	last_at INTEGER,
	last_status INTEGER,
	since INTEGER NOT NULL,
	created_by TEXT NOT NULL CHECK (json_valid(created_by)),
	created_at INTEGER NOT NULL,
	rotated_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE webhook_deliveries (
	id TEXT NOT NULL PRIMARY KEY,
	endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id),
	seq INTEGER,
	type TEXT NOT NULL,
	at INTEGER NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('waiting', 'sent', 'failed')),
	attempts INTEGER NOT NULL CHECK (attempts >= 0),
	next_at INTEGER,
	response_status INTEGER,
	answer TEXT NOT NULL,
	error TEXT,
	took INTEGER,
	UNIQUE (endpoint_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (endpoint_id, at, id, status);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (at);
