-- orders by their last change

CREATE INDEX orders_by_updated ON orders (shop, updated_at, number, status, test);
