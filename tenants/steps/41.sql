-- notifications to staff members

CREATE TABLE staff_notify (
	staff_id TEXT NOT NULL PRIMARY KEY REFERENCES staff (id) ON DELETE CASCADE,
	quiet_from INTEGER CHECK (quiet_from BETWEEN 0 AND 1439),
	quiet_until INTEGER CHECK (quiet_until BETWEEN 0 AND 1439),
	chat TEXT NOT NULL,
	chat_name TEXT NOT NULL,
	code_hash BLOB,
	code_expires INTEGER,
	seen INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE push_devices (
	id TEXT NOT NULL PRIMARY KEY,
	endpoint TEXT NOT NULL UNIQUE,
	staff_id TEXT NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
	public_key BLOB NOT NULL,
	auth BLOB NOT NULL,
	agent TEXT NOT NULL,
	problem TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	used_at INTEGER,
	failing_since INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX push_devices_by_staff ON push_devices (staff_id);
CREATE TABLE notifications (
	id TEXT NOT NULL PRIMARY KEY,
	staff_id TEXT NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
	channel TEXT NOT NULL CHECK (channel IN ('push', 'telegram', 'sms', 'email')),
	device_id TEXT NOT NULL,
	host TEXT NOT NULL,
	target TEXT NOT NULL,
	type TEXT NOT NULL CHECK (type <> ''),
	event TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('waiting', 'sending', 'sent', 'failed', 'skipped')),
	attempts INTEGER NOT NULL CHECK (attempts >= 0),
	due_at INTEGER,
	error TEXT NOT NULL,
	at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	UNIQUE (target, event)
) STRICT, WITHOUT ROWID;
CREATE INDEX notifications_due ON notifications (target, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notifications_by_due ON notifications (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notifications_by_age ON notifications (at);
CREATE INDEX notifications_by_staff ON notifications (staff_id);
CREATE INDEX notifications_sms ON notifications (updated_at, target) WHERE channel = 'sms' AND attempts > 0;
