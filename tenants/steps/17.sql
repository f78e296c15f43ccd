-- primary key of coupon scopes

CREATE TABLE new_coupon_scopes (
	coupon_id     TEXT NOT NULL REFERENCES coupons (id) ON DELETE CASCADE,
	scope_id      TEXT NOT NULL,
	product_id    TEXT REFERENCES products (id) ON DELETE CASCADE,
	collection_id TEXT REFERENCES collections (id) ON DELETE CASCADE,
	PRIMARY KEY (coupon_id, scope_id),
	CHECK ((product_id IS NULL) <> (collection_id IS NULL)),
	CHECK (scope_id = COALESCE(product_id, collection_id))
) STRICT, WITHOUT ROWID;
INSERT INTO new_coupon_scopes (coupon_id, scope_id, product_id, collection_id)
SELECT DISTINCT coupon_id, COALESCE(product_id, collection_id), product_id, collection_id
FROM coupon_scopes;
DROP TABLE coupon_scopes;
ALTER TABLE new_coupon_scopes RENAME TO coupon_scopes;
CREATE INDEX coupon_scopes_by_product    ON coupon_scopes (product_id) WHERE product_id IS NOT NULL;
CREATE INDEX coupon_scopes_by_collection ON coupon_scopes (collection_id) WHERE collection_id IS NOT NULL;
