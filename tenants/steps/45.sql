-- sessions of browsers that show notifications, and sums of couriers by shipment

ALTER TABLE push_devices ADD COLUMN session_id TEXT NOT NULL DEFAULT '';
UPDATE push_devices
SET session_id = COALESCE((
	SELECT s.id
	FROM staff_sessions s
	WHERE s.staff_id = push_devices.staff_id AND s.expires_at > 0
	ORDER BY CASE WHEN s.agent = push_devices.agent THEN 0 ELSE 1 END, s.created_at DESC
	LIMIT 1), '');
DELETE FROM day_stats;
