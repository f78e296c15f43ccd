-- orders delivered in part are among those that return

UPDATE orders SET work = 1 WHERE status = 'processing' AND fulfillment_status = 'partially_delivered';
