-- jobs

CREATE TABLE jobs (
	id          TEXT    NOT NULL PRIMARY KEY,
	kind        TEXT    NOT NULL CHECK (kind <> ''),
	actor       TEXT    NOT NULL CHECK (json_valid(actor)),
	client      TEXT    NOT NULL,
	request_id  TEXT    NOT NULL,
	options     TEXT    NOT NULL CHECK (json_valid(options)),
	status      TEXT    NOT NULL CHECK (status IN ('queued', 'running', 'done', 'cancelled')),
	total       INTEGER NOT NULL,
	done        INTEGER NOT NULL DEFAULT 0,
	failed      INTEGER NOT NULL DEFAULT 0,
	lease       TEXT,
	lease_until INTEGER,
	created_at  INTEGER NOT NULL,
	finished_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_by_age     ON jobs (created_at);
CREATE INDEX jobs_unfinished ON jobs (id) WHERE finished_at IS NULL;

CREATE TABLE job_items (
	job_id     TEXT    NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
	position   INTEGER NOT NULL,
	subject    TEXT    NOT NULL,
	label      TEXT    NOT NULL,
	status     TEXT    NOT NULL CHECK (status IN ('waiting', 'running', 'done', 'failed')),
	started_at INTEGER,
	code       TEXT,
	message    TEXT,
	warning    TEXT,
	PRIMARY KEY (job_id, position)
) STRICT, WITHOUT ROWID;
