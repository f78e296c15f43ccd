-- what reconciling a statement found

CREATE TABLE cash_statement_differences (
	shop bigint NOT NULL,
	statement text COLLATE "C" NOT NULL,
	position bigint NOT NULL,
	consignment_id text COLLATE "C" NOT NULL,
	order_id text COLLATE "C",
	problem text COLLATE "C" NOT NULL,
	expected bigint,
	reported bigint,
	PRIMARY KEY (shop, statement, position)
);
