-- messages to buyers

CREATE TABLE buyer_messages (
	order_number INTEGER NOT NULL REFERENCES orders (number),
	event        TEXT    NOT NULL CHECK (event <> ''),
	subject      TEXT    NOT NULL,
	channel      TEXT    NOT NULL CHECK (channel IN ('sms', 'email')),
	status       TEXT    NOT NULL CHECK (status IN ('queued', 'sending', 'sent', 'unknown', 'failed', 'skipped')),
	reason       TEXT    NOT NULL,
	attempts     INTEGER NOT NULL CHECK (attempts >= 0),
	message_id   TEXT    NOT NULL,
	segments     INTEGER NOT NULL CHECK (segments >= 0),
	due_at       INTEGER,
	created_at   INTEGER NOT NULL,
	updated_at   INTEGER NOT NULL,
	PRIMARY KEY (order_number, event, subject, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX buyer_messages_due ON buyer_messages (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX buyer_messages_by_age ON buyer_messages (created_at);
CREATE INDEX buyer_messages_sent ON buyer_messages (channel, updated_at, segments) WHERE segments > 0;
