package staff

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

const memberColumns = `m.id, m.name, m.email, m.phone, m.role, m.grants, m.denies, m.status, m.password_hash, m.totp_step, m.language,
	m.theme, m.notify, m.created_at, (SELECT COUNT(*) FROM staff_passkeys p WHERE p.staff_id = m.id)`

// scanMember scans memberColumns and the further columns.
func scanMember(r db.Row, further ...any) (m memberRow, err error) {
	var grants, denies, notify string
	err = r.Scan(append([]any{
		&m.id, &m.name, &m.email, &m.phone, &m.role, &grants, &denies, &m.status, &m.passwordHash, &m.totpStep, &m.language, &m.theme, &notify,
		&m.createdAt, &m.passkeys,
	}, further...)...)
	if err != nil {
		return m, err
	}
	return m, errors.Join(json.Unmarshal([]byte(grants), &m.grants), json.Unmarshal([]byte(denies), &m.denies),
		json.Unmarshal([]byte(notify), &m.notify))
}

// findMemberBy returns the staff member with a value in a column, or db.ErrNotFound.
func findMemberBy(tx *db.Tx, column, value string) (memberRow, error) {
	m, err := scanMember(tx.QueryRow(`
		SELECT `+memberColumns+`
		FROM staff m
		WHERE m.`+column+` = ?`, value))
	if err != nil {
		return memberRow{}, fmt.Errorf("find staff member: %w", err)
	}
	return m, nil
}

func findMember(tx *db.Tx, id string) (memberRow, error) { return findMemberBy(tx, "id", id) }

func findMemberByEmail(tx *db.Tx, email string) (memberRow, error) {
	return findMemberBy(tx, "email", email)
}

func findMemberByPhone(tx *db.Tx, phone string) (memberRow, error) {
	return findMemberBy(tx, "phone", phone)
}

func findMembers(tx *db.Tx) ([]memberRow, error) {
	list, err := db.Query(tx, func(r db.Row) (memberRow, error) { return scanMember(r) }, `
		SELECT `+memberColumns+`
		FROM staff m
		ORDER BY m.id`)
	if err != nil {
		return nil, fmt.Errorf("find staff members: %w", err)
	}
	return list, nil
}

// findLastSeen returns the last use of a session by each staff member.
func findLastSeen(tx *db.Tx) (map[string]*time.Time, error) {
	seen := map[string]*time.Time{}
	err := tx.Each(`
		SELECT staff_id, max(seen_at)
		FROM staff_sessions
		GROUP BY staff_id`, nil, func(r db.Row) error {
		var id string
		var at int64
		if err := r.Scan(&id, &at); err != nil {
			return err
		}
		seen[id] = new(db.FromMillis(at))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find last use of sessions: %w", err)
	}
	return seen, nil
}

func (m *memberRow) encode() (grants, denies, notify string, err error) {
	var texts [3]string
	if m.notify == nil {
		m.notify = Notifications{}
	}
	for i, v := range []any{db.OrEmpty(m.grants), db.OrEmpty(m.denies), m.notify} {
		text, err := json.Marshal(v)
		if err != nil {
			return "", "", "", fmt.Errorf("encode staff member: %w", err)
		}
		texts[i] = string(text)
	}
	return texts[0], texts[1], texts[2], nil
}

func insertMember(tx *db.Tx, m *memberRow) error {
	grants, denies, notify, err := m.encode()
	if err != nil {
		return err
	}
	_, err = tx.Exec(`
		INSERT INTO staff (id, name, email, phone, role, grants, denies, status, password_hash, language, theme, notify, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, m.id, m.name, m.email, m.phone, m.role, grants, denies, m.status, m.passwordHash,
		m.language, m.theme, notify, db.Millis(m.createdAt), db.Millis(m.createdAt))
	if err != nil {
		return fmt.Errorf("insert staff member: %w", err)
	}
	return nil
}

func updateMember(tx *db.Tx, m *memberRow) error {
	grants, denies, notify, err := m.encode()
	if err != nil {
		return err
	}
	_, err = tx.Exec(`
		UPDATE staff
		SET name = ?, email = ?, phone = ?, role = ?, grants = ?, denies = ?, status = ?, password_hash = ?, totp_step = ?, language = ?,
			theme = ?, notify = ?, updated_at = ?
		WHERE id = ?`, m.name, m.email, m.phone, m.role, grants, denies, m.status, m.passwordHash, m.totpStep, m.language, m.theme, notify,
		db.Millis(tx.Now()), m.id)
	if err != nil {
		return fmt.Errorf("update staff member: %w", err)
	}
	return nil
}

func deleteMember(tx *db.Tx, id string) error {
	_, err := tx.Exec(`
		DELETE FROM staff
		WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("delete staff member: %w", err)
	}
	return nil
}

// isNotFound reports whether a row was not found.
func isNotFound(err error) bool { return errors.Is(err, db.ErrNotFound) }

// FindOwnerContact returns the e-mail address or phone number of the shop's first owner who is not
// disabled, nil if there is none.
func FindOwnerContact(tx *db.Tx) (*string, error) {
	found, err := db.Query(tx, func(r db.Row) (contact string, err error) {
		return contact, r.Scan(&contact)
	}, `
		SELECT COALESCE(email, phone)
		FROM staff
		WHERE role = 'owner' AND status <> 'off'
		ORDER BY created_at, id
		LIMIT 1`)
	if err != nil {
		return nil, fmt.Errorf("find owner: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}
