-- which orders customers placed signed in

-- The account of an existing order may have placed it, or was found by its phone number or e-mail
-- address: no column distinguishes these, unless staff placed the order. Such an order remains that
-- of its account: a correction of its phone number must not make it another customer's, and hide it
-- from the one who placed it. Without an account, and if staff placed it, it follows its contact.
ALTER TABLE orders ADD COLUMN signed_in INTEGER NOT NULL DEFAULT 0 CHECK (signed_in IN (0, 1));
UPDATE orders
SET signed_in = 1
WHERE customer_id IS NOT NULL AND placed_by IS NULL;
