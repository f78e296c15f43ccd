-- requests of staff

CREATE TABLE staff_requests (
	actor TEXT NOT NULL,
	operation TEXT NOT NULL,
	key TEXT NOT NULL,
	fingerprint BLOB NOT NULL,
	nonce TEXT NOT NULL,
	status INTEGER,
	body BLOB,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (actor, operation, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX staff_requests_by_age ON staff_requests (created_at);
