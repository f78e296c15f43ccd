-- webhook endpoints in the audit log

UPDATE audit_log SET subject_kind = 'webhook_endpoint' WHERE subject_kind = 'webhook-endpoint';
