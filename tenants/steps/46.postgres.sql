-- orders by city and by total

CREATE INDEX orders_by_city ON orders (shop, city, placed_at, number, status, test, total);
CREATE INDEX orders_by_total ON orders (shop, total, number);
