-- used proofs of work

CREATE TABLE work_proofs (
	key        BLOB    NOT NULL PRIMARY KEY,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX work_proofs_by_expiry ON work_proofs (expires_at);
