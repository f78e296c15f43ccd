-- unconfirmed cash orders of unproven buyers

ALTER TABLE orders ADD COLUMN client BLOB;
CREATE INDEX orders_by_client ON orders (client, placed_at) WHERE client IS NOT NULL;
CREATE INDEX orders_unproven ON orders (customer_phone, placed_at) WHERE client IS NOT NULL;
CREATE INDEX orders_unconfirmed ON orders (placed_at) WHERE client IS NOT NULL AND status = 'pending' AND customer_id IS NULL;
