-- daily sums by status and number of product

DROP TABLE day_stats;
CREATE TABLE day_stats (
	kind TEXT    NOT NULL CHECK (kind IN ('all', 'product', 'courier', 'city', 'area', 'method', 'coupon', 'source', 'buyer', 'status', 'product_ids')),
	day  INTEGER NOT NULL,
	sums BLOB    NOT NULL,
	PRIMARY KEY (kind, day)
) STRICT, WITHOUT ROWID;
