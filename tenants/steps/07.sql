-- sign-ins are limited by network and known client

ALTER TABLE otp_codes ADD COLUMN network BLOB;
CREATE INDEX unverified_otp_by_network ON otp_codes (network, created_at) WHERE used_at IS NULL AND network IS NOT NULL;

CREATE TABLE known_clients (
	customer_id TEXT    NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
	client      BLOB    NOT NULL,
	last_at     INTEGER NOT NULL,
	PRIMARY KEY (customer_id, client)
) STRICT, WITHOUT ROWID;
