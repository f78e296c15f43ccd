-- orders by their last change

CREATE INDEX orders_by_updated ON orders (updated_at, number, status, test);
