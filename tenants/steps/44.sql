-- payments and refunds that wait for staff

CREATE INDEX payment_attempts_waiting ON payment_attempts (status, id) WHERE status IN ('needs_review', 'refund_due');
CREATE INDEX payment_attempts_unstarted ON payment_attempts (created_at, id) WHERE error_code <> '';
CREATE INDEX refunds_open ON refunds (status, created_at) WHERE status IN ('requested', 'unclear');
