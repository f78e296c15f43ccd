-- printed documents of orders

CREATE TABLE order_prints (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	at bigint NOT NULL,
	kind text COLLATE "C" NOT NULL CHECK (kind <> ''),
	author text COLLATE "C" NOT NULL CHECK (author IS NULL OR author::json IS NOT NULL),
	PRIMARY KEY (shop, order_number, at, kind)
);
ALTER TABLE order_prints ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;
