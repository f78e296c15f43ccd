-- due webhooks by time, then by event

DROP INDEX webhook_deliveries_due;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (shop, endpoint_id, next_at, seq) WHERE next_at is not null;
