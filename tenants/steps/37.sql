-- daily sums of orders

CREATE TABLE day_stats (
	kind      TEXT    NOT NULL CHECK (kind IN ('all', 'product', 'courier', 'city', 'method', 'coupon')),
	day       INTEGER NOT NULL,
	key       TEXT    NOT NULL,
	orders    INTEGER NOT NULL,
	units     INTEGER NOT NULL,
	sales     INTEGER NOT NULL,
	delivery  INTEGER NOT NULL,
	revenue   INTEGER NOT NULL,
	delivered INTEGER NOT NULL,
	returned  INTEGER NOT NULL,
	cancelled INTEGER NOT NULL,
	PRIMARY KEY (kind, day, key)
) STRICT, WITHOUT ROWID;
