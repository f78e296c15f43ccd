-- API keys expire, and order tokens are replaced

ALTER TABLE admin_tokens ADD COLUMN expires_at INTEGER;
CREATE TABLE order_tokens (
	order_id  TEXT    NOT NULL PRIMARY KEY REFERENCES orders (id),
	revision  INTEGER NOT NULL CHECK (revision > 0),
	issued_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
