-- uploaded images

CREATE TABLE media (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	alt text COLLATE "C" NOT NULL,
	alt_key text COLLATE "C" NOT NULL,
	width bigint NOT NULL CHECK (width > 0),
	height bigint NOT NULL CHECK (height > 0),
	bytes bigint NOT NULL CHECK (bytes > 0),
	format text COLLATE "C" NOT NULL CHECK (format IN ('jpg', 'png')),
	renditions text COLLATE "C" NOT NULL CHECK (renditions IS NULL OR renditions::json IS NOT NULL),
	created_at bigint NOT NULL,
	unused_at bigint,
	deleted_at bigint,
	purging bigint NOT NULL DEFAULT 0 CHECK (purging IN (0, 1)),
	PRIMARY KEY (shop, id)
);
CREATE INDEX media_by_created ON media (shop, created_at, id);
CREATE INDEX media_unused ON media (shop, unused_at) WHERE unused_at IS NOT NULL;
ALTER TABLE images ADD COLUMN media_id text COLLATE "C";
ALTER TABLE images ADD FOREIGN KEY (shop, media_id) REFERENCES media (shop, id) DEFERRABLE;
CREATE INDEX images_by_media ON images (shop, media_id) WHERE media_id IS NOT NULL;
ALTER TABLE collections ADD COLUMN media_id text COLLATE "C";
ALTER TABLE collections ADD FOREIGN KEY (shop, media_id) REFERENCES media (shop, id) DEFERRABLE;
CREATE INDEX collections_by_media ON collections (shop, media_id) WHERE media_id IS NOT NULL;
CREATE TABLE product_handles (
	shop bigint NOT NULL,
	handle text COLLATE "C" NOT NULL,
	product_id text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, handle)
);
ALTER TABLE product_handles ADD FOREIGN KEY (shop, product_id) REFERENCES products (shop, id) ON DELETE CASCADE DEFERRABLE;
CREATE INDEX product_handles_by_product ON product_handles (shop, product_id);
