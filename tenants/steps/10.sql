-- codes sent by e-mail

CREATE TABLE email_codes (
	id          TEXT    NOT NULL PRIMARY KEY,
	email       TEXT    NOT NULL,
	purpose     TEXT    NOT NULL CHECK (purpose IN ('sign_in', 'password_reset')),
	client      BLOB    NOT NULL,
	network     BLOB,
	code_hash   BLOB    NOT NULL,
	state       TEXT    NOT NULL CHECK (state IN ('sending', 'sent', 'unknown', 'withheld')),
	message_id  TEXT    NOT NULL,
	wrong_tries INTEGER NOT NULL DEFAULT 0 CHECK (wrong_tries BETWEEN 0 AND 3),
	used_at     INTEGER,
	created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX email_codes_by_email ON email_codes (email, created_at, id);
CREATE INDEX email_codes_by_age ON email_codes (created_at);
CREATE INDEX unused_email_codes_by_client ON email_codes (client, created_at) WHERE used_at IS NULL;
CREATE INDEX unused_email_codes_by_network ON email_codes (network, created_at) WHERE used_at IS NULL AND network IS NOT NULL;
CREATE INDEX unused_email_codes_by_age ON email_codes (created_at) WHERE used_at IS NULL;
CREATE INDEX tried_email_codes_by_age ON email_codes (created_at, wrong_tries) WHERE wrong_tries > 0;
CREATE INDEX orders_by_email ON orders (customer_email, placed_at) WHERE customer_email IS NOT NULL;
