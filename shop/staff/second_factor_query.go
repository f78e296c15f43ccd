package staff

import (
	"fmt"

	"storefront/db"
)

// OwnersHaveSecondFactor reports whether the shop has active owners, each with a second factor.
func OwnersHaveSecondFactor(tx *db.Tx) (have bool, err error) {
	var owners, with int
	err = tx.QueryRow(`
		SELECT COUNT(*), COUNT(CASE WHEN totp_step IS NOT NULL OR EXISTS (SELECT 1 FROM staff_passkeys p WHERE p.staff_id = staff.id) THEN 1 END)
		FROM staff
		WHERE role = ? AND status = ?`, RoleOwner, StatusActive).Scan(&owners, &with)
	if err != nil {
		return false, fmt.Errorf("find owners without a second factor: %w", err)
	}
	return owners > 0 && with == owners, nil
}

func insertRecoveryCode(tx *db.Tx, memberID string, hash []byte) error {
	_, err := tx.Exec(`
		INSERT INTO staff_recovery (staff_id, hash)
		VALUES (?, ?)`, memberID, hash)
	if err != nil {
		return fmt.Errorf("insert recovery code: %w", err)
	}
	return nil
}

// hasRecoveryCode reports whether a staff member has a recovery code that is not used yet.
func hasRecoveryCode(tx *db.Tx, memberID string, hash []byte) (has bool, err error) {
	err = tx.QueryRow(`
		SELECT count(*) > 0
		FROM staff_recovery
		WHERE staff_id = ? AND hash = ? AND used_at IS NULL`, memberID, hash).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("find recovery code: %w", err)
	}
	return has, nil
}

func useRecoveryCode(tx *db.Tx, memberID string, hash []byte) error {
	_, err := tx.Exec(`
		UPDATE staff_recovery
		SET used_at = ?
		WHERE staff_id = ? AND hash = ?`, db.Millis(tx.Now()), memberID, hash)
	if err != nil {
		return fmt.Errorf("use recovery code: %w", err)
	}
	return nil
}

func countRecoveryCodes(tx *db.Tx, memberID string) (n int, err error) {
	err = tx.QueryRow(`
		SELECT count(*)
		FROM staff_recovery
		WHERE staff_id = ? AND used_at IS NULL`, memberID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count recovery codes: %w", err)
	}
	return n, nil
}

func deleteRecoveryCodes(tx *db.Tx, memberID string) error {
	_, err := tx.Exec(`
		DELETE FROM staff_recovery
		WHERE staff_id = ?`, memberID)
	if err != nil {
		return fmt.Errorf("delete recovery codes: %w", err)
	}
	return nil
}
