-- imports change products in slices

ALTER TABLE imports ADD COLUMN columns TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(columns));
ALTER TABLE imports ADD COLUMN committed_at INTEGER;

CREATE TABLE import_changes (
	position  INTEGER NOT NULL PRIMARY KEY,
	product   TEXT    NOT NULL CHECK (json_valid(product)),
	sanitized INTEGER NOT NULL CHECK (sanitized IN (0, 1))
) STRICT;
