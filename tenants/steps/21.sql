-- notifications of staff members

ALTER TABLE staff ADD COLUMN notify TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(notify));
