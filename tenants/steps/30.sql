-- printed documents of orders

CREATE TABLE order_prints (
	order_number INTEGER NOT NULL REFERENCES orders (number),
	at           INTEGER NOT NULL,
	kind         TEXT    NOT NULL CHECK (kind <> ''),
	author       TEXT    NOT NULL CHECK (json_valid(author)),
	PRIMARY KEY (order_number, at, kind)
) STRICT, WITHOUT ROWID;
