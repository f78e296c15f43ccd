-- discount given by coupons, and their last uses

ALTER TABLE coupons ADD COLUMN discount_given bigint NOT NULL DEFAULT 0 CHECK (discount_given >= 0);
UPDATE coupons
SET discount_given = (
	SELECT COALESCE(SUM(o.discount - o.staff_discount), 0)
	FROM orders o
	WHERE o.shop = coupons.shop AND o.coupon_id = coupons.id AND o.status NOT IN ('cancelled', 'expired'));
CREATE INDEX orders_of_coupon ON orders (shop, coupon_id, placed_at) WHERE coupon_id IS NOT NULL AND status NOT IN ('cancelled', 'expired');
