-- notifications to staff members

CREATE TABLE staff_notify (
	shop bigint NOT NULL,
	staff_id text COLLATE "C" NOT NULL,
	quiet_from bigint,
	quiet_until bigint,
	chat text COLLATE "C" NOT NULL,
	chat_name text COLLATE "C" NOT NULL,
	code_hash bytea,
	code_expires bigint,
	seen bigint NOT NULL,
	CHECK (quiet_from BETWEEN 0 AND 1439),
	CHECK (quiet_until BETWEEN 0 AND 1439),
	PRIMARY KEY (shop, staff_id)
);
ALTER TABLE staff_notify ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;
CREATE TABLE push_devices (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	endpoint text COLLATE "C" NOT NULL,
	staff_id text COLLATE "C" NOT NULL,
	public_key bytea NOT NULL,
	auth bytea NOT NULL,
	agent text COLLATE "C" NOT NULL,
	problem text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	used_at bigint,
	failing_since bigint,
	PRIMARY KEY (shop, id),
	UNIQUE (shop, endpoint)
);
ALTER TABLE push_devices ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;
CREATE INDEX push_devices_by_staff ON push_devices (shop, staff_id);
CREATE TABLE notifications (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	staff_id text COLLATE "C" NOT NULL,
	channel text COLLATE "C" NOT NULL,
	device_id text COLLATE "C" NOT NULL,
	host text COLLATE "C" NOT NULL,
	target text COLLATE "C" NOT NULL,
	type text COLLATE "C" NOT NULL,
	event text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	attempts bigint NOT NULL,
	due_at bigint,
	error text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	updated_at bigint NOT NULL,
	CHECK (channel IN ('push', 'telegram', 'sms', 'email')),
	CHECK (type <> ''),
	CHECK (status IN ('waiting', 'sending', 'sent', 'failed', 'skipped')),
	CHECK (attempts >= 0),
	PRIMARY KEY (shop, id),
	UNIQUE (shop, target, event)
);
ALTER TABLE notifications ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;
CREATE INDEX notifications_due ON notifications (shop, target, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notifications_by_due ON notifications (shop, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notifications_by_age ON notifications (shop, at);
CREATE INDEX notifications_by_staff ON notifications (shop, staff_id);
CREATE INDEX notifications_sms ON notifications (shop, updated_at, target) WHERE channel = 'sms' AND attempts > 0;
