-- uploaded images

CREATE TABLE media (
	id         TEXT    NOT NULL PRIMARY KEY,
	alt        TEXT    NOT NULL,
	alt_key    TEXT    NOT NULL,
	width      INTEGER NOT NULL CHECK (width > 0),
	height     INTEGER NOT NULL CHECK (height > 0),
	bytes      INTEGER NOT NULL CHECK (bytes > 0),
	format     TEXT    NOT NULL CHECK (format IN ('jpg', 'png')),
	renditions TEXT    NOT NULL CHECK (json_valid(renditions)),
	created_at INTEGER NOT NULL,
	unused_at  INTEGER,
	deleted_at INTEGER,
	purging    INTEGER NOT NULL DEFAULT 0 CHECK (purging IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX media_by_created ON media (created_at, id);
CREATE INDEX media_unused     ON media (unused_at) WHERE unused_at IS NOT NULL;

ALTER TABLE images ADD COLUMN media_id TEXT REFERENCES media (id);
CREATE INDEX images_by_media ON images (media_id) WHERE media_id IS NOT NULL;
ALTER TABLE collections ADD COLUMN media_id TEXT REFERENCES media (id);
CREATE INDEX collections_by_media ON collections (media_id) WHERE media_id IS NOT NULL;

CREATE TABLE product_handles (
	handle     TEXT    NOT NULL PRIMARY KEY,
	product_id TEXT    NOT NULL REFERENCES products (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX product_handles_by_product ON product_handles (product_id);
