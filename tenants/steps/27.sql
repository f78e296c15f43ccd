-- sums of couriers' statements

ALTER TABLE cash_statements ADD COLUMN courier     TEXT    NOT NULL DEFAULT '';
ALTER TABLE cash_statements ADD COLUMN shipments   INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cash_statements ADD COLUMN collected   INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cash_statements ADD COLUMN fees        INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cash_statements ADD COLUMN paid_out    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cash_statements ADD COLUMN differences INTEGER;
UPDATE cash_statements
SET courier = l.courier, shipments = l.shipments, collected = l.collected, fees = l.fees, paid_out = l.paid_out
FROM (
	SELECT n.statement, MIN(p.provider) AS courier, COUNT(*) AS shipments, COALESCE(SUM(n.collected), 0) AS collected,
		COALESCE(SUM(n.fee), 0) AS fees, COALESCE(SUM(n.remitted), 0) AS paid_out
	FROM cash_statement_lines n
	JOIN shipments p ON p.id = n.shipment_id
	GROUP BY n.statement) l
WHERE l.statement = cash_statements.name;
