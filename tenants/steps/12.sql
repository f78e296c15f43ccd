-- costs of variants, and imports in slices

ALTER TABLE variants ADD COLUMN cost INTEGER CHECK (cost >= 0);

CREATE TABLE imports (
	id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	first_id   TEXT    NOT NULL,
	last_id    TEXT    NOT NULL,
	started_at INTEGER NOT NULL
) STRICT;
