-- daily sums of orders

CREATE TABLE day_stats (
	shop bigint NOT NULL,
	kind text COLLATE "C" NOT NULL,
	day bigint NOT NULL,
	key text COLLATE "C" NOT NULL,
	orders bigint NOT NULL,
	units bigint NOT NULL,
	sales bigint NOT NULL,
	delivery bigint NOT NULL,
	revenue bigint NOT NULL,
	delivered bigint NOT NULL,
	returned bigint NOT NULL,
	cancelled bigint NOT NULL,
	CHECK (kind IN ('all', 'product', 'courier', 'city', 'method', 'coupon')),
	PRIMARY KEY (shop, kind, day, key)
);
