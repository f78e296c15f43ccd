-- hashes of the files of images

ALTER TABLE media ADD COLUMN hashes text COLLATE "C" NOT NULL DEFAULT '[]' CHECK (hashes IS NULL OR hashes::json IS NOT NULL);
CREATE INDEX media_without_hashes ON media (shop, id) WHERE hashes = '[]';
