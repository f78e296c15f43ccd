-- jobs

CREATE TABLE jobs (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	actor text COLLATE "C" NOT NULL,
	client text COLLATE "C" NOT NULL,
	request_id text COLLATE "C" NOT NULL,
	options text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	total bigint NOT NULL,
	done bigint NOT NULL DEFAULT 0,
	failed bigint NOT NULL DEFAULT 0,
	lease text COLLATE "C",
	lease_until bigint,
	created_at bigint NOT NULL,
	finished_at bigint,
	PRIMARY KEY (shop, id),
	CHECK (kind <> ''),
	CHECK (actor IS NULL OR actor::json IS NOT NULL),
	CHECK (options IS NULL OR options::json IS NOT NULL),
	CHECK (status in ('queued', 'running', 'done', 'cancelled'))
);
CREATE TABLE job_items (
	shop bigint NOT NULL,
	job_id text COLLATE "C" NOT NULL,
	position bigint NOT NULL,
	subject text COLLATE "C" NOT NULL,
	label text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	started_at bigint,
	code text COLLATE "C",
	message text COLLATE "C",
	warning text COLLATE "C",
	CHECK (status in ('waiting', 'running', 'done', 'failed')),
	PRIMARY KEY (shop, job_id, position)
);
CREATE INDEX jobs_by_age ON jobs (shop, created_at);
CREATE INDEX jobs_unfinished ON jobs (shop, id) WHERE finished_at is null;
ALTER TABLE job_items ADD FOREIGN KEY (shop, job_id) REFERENCES jobs (shop, id) ON DELETE CASCADE DEFERRABLE;
