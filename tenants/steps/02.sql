-- revisions of products

ALTER TABLE products ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
CREATE INDEX products_by_number ON products (number, status, published_at, id);
