-- orders by city with the status of their shipment

DROP INDEX orders_by_city;
CREATE INDEX orders_by_city ON orders (shop, city, placed_at, number, status, test, total, shipment_status);
