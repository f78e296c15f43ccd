-- the job that a job retries

ALTER TABLE jobs ADD COLUMN retry_of TEXT;
CREATE INDEX jobs_by_retry ON jobs (retry_of) WHERE retry_of IS NOT NULL;
