-- sums of couriers' statements

ALTER TABLE cash_statements ADD COLUMN courier text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE cash_statements ADD COLUMN shipments bigint NOT NULL DEFAULT 0;
ALTER TABLE cash_statements ADD COLUMN collected bigint NOT NULL DEFAULT 0;
ALTER TABLE cash_statements ADD COLUMN fees bigint NOT NULL DEFAULT 0;
ALTER TABLE cash_statements ADD COLUMN paid_out bigint NOT NULL DEFAULT 0;
ALTER TABLE cash_statements ADD COLUMN differences bigint;
UPDATE cash_statements
SET courier = l.courier, shipments = l.shipments, collected = l.collected, fees = l.fees, paid_out = l.paid_out
FROM (
	SELECT n.shop, n.statement, MIN(p.provider) AS courier, COUNT(*) AS shipments, COALESCE(SUM(n.collected), 0) AS collected,
		COALESCE(SUM(n.fee), 0) AS fees, COALESCE(SUM(n.remitted), 0) AS paid_out
	FROM cash_statement_lines n
	JOIN shipments p ON p.shop = n.shop AND p.id = n.shipment_id
	GROUP BY n.shop, n.statement) l
WHERE l.shop = cash_statements.shop AND l.statement = cash_statements.name;
