-- due webhooks by time, then by event

DROP INDEX webhook_deliveries_due;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_at, seq) WHERE next_at IS NOT NULL;
