-- hashes of the files of images

ALTER TABLE media ADD COLUMN hashes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(hashes));
CREATE INDEX media_without_hashes ON media (id) WHERE hashes = '[]';
