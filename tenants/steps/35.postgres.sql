-- indexes of references to orders
-- PostgreSQL alone deletes a shop row by row.

CREATE INDEX IF NOT EXISTS stock_movements_by_order_number ON stock_movements (shop, order_number) WHERE order_number IS NOT NULL;
CREATE INDEX IF NOT EXISTS idempotency_keys_by_order_id ON idempotency_keys (shop, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS provider_calls_by_order_id ON provider_calls (shop, order_id) WHERE order_id IS NOT NULL;
