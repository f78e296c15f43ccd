-- daily sums by status and number of product

DROP TABLE day_stats;
CREATE TABLE day_stats (
	shop bigint NOT NULL,
	kind text COLLATE "C" NOT NULL,
	day bigint NOT NULL,
	sums bytea NOT NULL,
	CHECK (kind IN ('all', 'product', 'courier', 'city', 'area', 'method', 'coupon', 'source', 'buyer', 'status', 'product_ids')),
	PRIMARY KEY (shop, kind, day)
);
