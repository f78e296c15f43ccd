-- units of delivered orders that came back

ALTER TABLE order_items ADD COLUMN restocked bigint NOT NULL DEFAULT 0 CHECK (restocked BETWEEN 0 AND quantity);
