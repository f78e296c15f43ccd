package notify

import (
	"fmt"
	"time"

	"storefront/db"
)

const deviceColumns = `d.id, d.endpoint, d.staff_id, d.session_id, d.public_key, d.auth, d.agent, d.problem, d.created_at, d.used_at,
			d.failing_since, d.refused`

func scanDevice(r db.Row) (d deviceRow, err error) {
	return d, r.Scan(&d.id, &d.endpoint, &d.staffID, &d.sessionID, &d.publicKey, &d.auth, &d.agent, &d.problem, &d.createdAt, &d.usedAt,
		&d.failingSince, &d.refused)
}

// findDevices returns the browsers by staff member, those not reached for longest first. It omits
// browsers in which the member's session has ended.
func findDevices(tx *db.Tx) (map[string][]deviceRow, error) {
	all, err := db.Query(tx, scanDevice, `
		SELECT `+deviceColumns+`
		FROM push_devices d
		JOIN staff_sessions s ON s.id = d.session_id AND s.staff_id = d.staff_id
		WHERE s.expires_at > ?
		ORDER BY COALESCE(d.used_at, d.created_at), d.id`, db.Millis(tx.Now()))
	if err != nil {
		return nil, fmt.Errorf("find devices: %w", err)
	}
	devices := map[string][]deviceRow{}
	for _, d := range all {
		devices[d.staffID] = append(devices[d.staffID], d)
	}
	return devices, nil
}

// findDeviceBy returns the browser with a value in a column, or db.ErrNotFound.
func findDeviceBy(tx *db.Tx, column, value string) (deviceRow, error) {
	d, err := scanDevice(tx.QueryRow(`
		SELECT `+deviceColumns+`
		FROM push_devices d
		WHERE d.`+column+` = ?`, value))
	if err != nil {
		return d, fmt.Errorf("find device: %w", err)
	}
	return d, nil
}

func findDevice(tx *db.Tx, id string) (deviceRow, error) { return findDeviceBy(tx, "id", id) }

func findDeviceByEndpoint(tx *db.Tx, endpoint string) (deviceRow, error) {
	return findDeviceBy(tx, "endpoint", endpoint)
}

func insertDevice(tx *db.Tx, d *deviceRow) error {
	_, err := tx.Exec(`
		INSERT INTO push_devices (id, endpoint, staff_id, session_id, public_key, auth, agent, problem, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, '', ?)`, d.id, d.endpoint, d.staffID, d.sessionID, d.publicKey, d.auth, d.agent, db.Millis(d.createdAt))
	if err != nil {
		return fmt.Errorf("insert device: %w", err)
	}
	return nil
}

func updateDeviceKeys(tx *db.Tx, d *deviceRow) error {
	_, err := tx.Exec(`
		UPDATE push_devices
		SET session_id = ?, public_key = ?, auth = ?, agent = ?
		WHERE id = ?`, d.sessionID, d.publicKey, d.auth, d.agent, d.id)
	if err != nil {
		return fmt.Errorf("update device: %w", err)
	}
	return nil
}

func updateDeviceUsed(tx *db.Tx, id string) error {
	_, err := tx.Exec(`
		UPDATE push_devices
		SET used_at = ?, failing_since = NULL, problem = '', refused = 0
		WHERE id = ?`, db.Millis(tx.Now()), id)
	if err != nil {
		return fmt.Errorf("update device: %w", err)
	}
	return nil
}

func updateDeviceFailing(tx *db.Tx, id, problem string, refused bool) error {
	_, err := tx.Exec(`
		UPDATE push_devices
		SET failing_since = COALESCE(failing_since, ?), problem = ?, refused = ?
		WHERE id = ?`, db.Millis(tx.Now()), problem, db.BoolInt(refused), id)
	if err != nil {
		return fmt.Errorf("update device: %w", err)
	}
	return nil
}

// deleteDevice deletes a browser with its notifications.
func deleteDevice(tx *db.Tx, id string) error {
	if _, err := tx.Exec(`
		DELETE FROM notifications
		WHERE target = ?`, deviceKey(id)); err != nil {
		return fmt.Errorf("delete notifications: %w", err)
	}
	if _, err := tx.Exec(`
		DELETE FROM push_devices
		WHERE id = ?`, id); err != nil {
		return fmt.Errorf("delete device: %w", err)
	}
	return nil
}

// deleteLostDevices deletes browsers with a push service that has failed since before a time, and
// browsers in which the member's session has ended.
func deleteLostDevices(tx *db.Tx, before time.Time) error {
	ids, err := db.Query(tx, func(r db.Row) (id string, err error) { return id, r.Scan(&id) }, `
		SELECT id
		FROM push_devices
		WHERE failing_since < ? OR session_id NOT IN (SELECT id FROM staff_sessions WHERE expires_at > ?)`,
		db.Millis(before), db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("find lost devices: %w", err)
	}
	for _, id := range ids {
		if err := deleteDevice(tx, id); err != nil {
			return err
		}
	}
	return nil
}
