-- what reconciling a statement found

CREATE TABLE cash_statement_differences (
	statement TEXT    NOT NULL,
	position INTEGER NOT NULL,
	consignment_id TEXT    NOT NULL,
	order_id TEXT,
	problem TEXT    NOT NULL,
	expected INTEGER,
	reported INTEGER,
	PRIMARY KEY (statement, position)
) STRICT, WITHOUT ROWID;
