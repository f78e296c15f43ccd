-- orders by city and by total

CREATE INDEX orders_by_city ON orders (city, placed_at, number, status, test, total);
CREATE INDEX orders_by_total ON orders (total, number);
