-- staff members, scopes of API keys, and the audit log

ALTER TABLE admin_tokens ADD COLUMN scopes TEXT NOT NULL DEFAULT '["*"]' CHECK (json_valid(scopes));
ALTER TABLE admin_tokens ADD COLUMN used_at INTEGER;
ALTER TABLE admin_tokens ADD COLUMN created_by TEXT CHECK (json_valid(created_by));

CREATE TABLE staff (
	id            TEXT    NOT NULL PRIMARY KEY,
	name          TEXT    NOT NULL,
	email         TEXT    UNIQUE,
	phone         TEXT    UNIQUE,
	role          TEXT    NOT NULL CHECK (role IN ('owner', 'manager', 'staff', 'viewer')),
	grants        TEXT    NOT NULL CHECK (json_valid(grants)),
	denies        TEXT    NOT NULL CHECK (json_valid(denies)),
	status        TEXT    NOT NULL CHECK (status IN ('invited', 'active', 'off')),
	password_hash TEXT,
	totp_step     INTEGER,
	language      TEXT    NOT NULL CHECK (language IN ('bn', 'en')),
	theme         TEXT    NOT NULL CHECK (theme IN ('system', 'light', 'dark')),
	version       INTEGER NOT NULL DEFAULT 1,
	created_at    INTEGER NOT NULL,
	updated_at    INTEGER NOT NULL,
	CONSTRAINT staff_have_a_contact CHECK (email IS NOT NULL OR phone IS NOT NULL)
) STRICT, WITHOUT ROWID;
	CREATE TABLE staff_recovery (
	staff_id TEXT    NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
	hash     BLOB    NOT NULL,
	used_at  INTEGER,
	PRIMARY KEY (staff_id, hash)
) STRICT, WITHOUT ROWID;
	CREATE TABLE staff_links (
	hash       BLOB    NOT NULL PRIMARY KEY,
	staff_id   TEXT    NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
	kind       TEXT    NOT NULL CHECK (kind IN ('invite', 'reset')),
	created_by TEXT    NOT NULL CHECK (json_valid(created_by)),
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX staff_links_by_staff  ON staff_links (staff_id);
CREATE INDEX staff_links_by_expiry ON staff_links (expires_at);
	CREATE TABLE staff_sessions (
	hash       BLOB    NOT NULL PRIMARY KEY,
	id         TEXT    NOT NULL UNIQUE,
	staff_id   TEXT    NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
	client     TEXT    NOT NULL,
	agent      TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	seen_at    INTEGER NOT NULL,
	proved_at  INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX staff_sessions_by_staff  ON staff_sessions (staff_id, created_at);
CREATE INDEX staff_sessions_by_expiry ON staff_sessions (expires_at);
	CREATE TABLE staff_codes (
	id          TEXT    NOT NULL PRIMARY KEY,
	staff_id    TEXT    NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
	client      BLOB    NOT NULL,
	code_hash   BLOB    NOT NULL,
	state       TEXT    NOT NULL CHECK (state IN ('sending', 'sent', 'unknown')),
	message_id  TEXT    NOT NULL,
	wrong_tries INTEGER NOT NULL DEFAULT 0 CHECK (wrong_tries BETWEEN 0 AND 3),
	used_at     INTEGER,
	created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX staff_codes_by_staff ON staff_codes (staff_id, created_at, id);
CREATE INDEX staff_codes_by_age   ON staff_codes (created_at);
	CREATE TABLE audit_log (
	id           TEXT    NOT NULL PRIMARY KEY,
	at           INTEGER NOT NULL,
	actor_kind   TEXT    NOT NULL CHECK (actor_kind IN ('staff', 'key', 'operator', 'cli')),
	actor_id     TEXT    NOT NULL,
	actor_name   TEXT    NOT NULL,
	via          TEXT    NOT NULL CHECK (via IN ('dashboard', 'api', 'cli')),
	client       TEXT    NOT NULL,
	request_id   TEXT    NOT NULL,
	action       TEXT    NOT NULL CHECK (action <> ''),
	subject_kind TEXT    NOT NULL,
	subject_id   TEXT    NOT NULL,
	label        TEXT    NOT NULL,
	changes      TEXT    NOT NULL CHECK (json_valid(changes))
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_log_by_time    ON audit_log (at, id);
CREATE INDEX audit_log_by_actor   ON audit_log (actor_id, at, id);
CREATE INDEX audit_log_by_action  ON audit_log (action, at, id);
CREATE INDEX audit_log_by_subject ON audit_log (subject_id, at, id);
