-- staff without unused columns

ALTER TABLE staff       DROP COLUMN version;
ALTER TABLE staff_links DROP COLUMN used_at;
CREATE INDEX staff_requests_by_actor ON staff_requests (actor, created_at);
