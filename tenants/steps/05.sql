-- unproven phones identify nobody

CREATE TABLE new_customers (
	id                TEXT    NOT NULL PRIMARY KEY,
	name              TEXT    NOT NULL,
	email             TEXT    UNIQUE,
	phone             TEXT    UNIQUE,
	email_verified_at INTEGER,
	phone_verified_at INTEGER,
	email_trusted     INTEGER NOT NULL DEFAULT 1 CHECK (email_trusted IN (0, 1)),
	phone_trusted     INTEGER NOT NULL DEFAULT 1 CHECK (phone_trusted IN (0, 1)),
	password_hash     TEXT,
	password_reset    INTEGER NOT NULL DEFAULT 0 CHECK (password_reset IN (0, 1)),
	token_version     INTEGER NOT NULL DEFAULT 1,
	created_at        INTEGER NOT NULL,
	updated_at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO new_customers (id, name, email, phone, email_verified_at, phone_verified_at, password_hash,
	password_reset, token_version, created_at, updated_at)
SELECT id, name, email, phone, email_verified_at, phone_verified_at, password_hash, password_reset,
	token_version, created_at, updated_at
FROM customers
ORDER BY id;
DROP TABLE customers;
ALTER TABLE new_customers RENAME TO customers;
CREATE INDEX customers_by_created ON customers (created_at, id);
