-- versions of responses that are returned again

ALTER TABLE staff_requests ADD COLUMN etag TEXT NOT NULL DEFAULT '';
