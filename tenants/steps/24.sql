-- indexes for lists of orders

DROP INDEX orders_by_placed;
DROP INDEX orders_by_status;
CREATE INDEX orders_by_status ON orders (status, placed_at, number, test);
CREATE INDEX orders_by_placed ON orders (placed_at, number, status, test, payment_status, fulfillment_status, payment_method, courier,
	shipment_status, city, total, updated_at);
CREATE INDEX order_items_by_product ON order_items (product_id, order_number);
