-- the job that a job retries

ALTER TABLE jobs ADD COLUMN retry_of text COLLATE "C";
CREATE INDEX jobs_by_retry ON jobs (shop, retry_of) WHERE retry_of IS NOT NULL;
