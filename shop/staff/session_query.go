package staff

import (
	"fmt"
	"time"

	"storefront/db"
)

// findSession returns the session with the hash of its token, or db.ErrNotFound.
func findSession(tx *db.Tx, hash []byte) (r sessionRow, err error) {
	r.member, err = scanMember(tx.QueryRow(`
		SELECT `+memberColumns+`, s.id, s.created_at, s.seen_at, s.proved_at, s.expires_at
		FROM staff_sessions s
		JOIN staff m ON m.id = s.staff_id
		WHERE s.hash = ?`, hash), &r.id, &r.createdAt, &r.seenAt, &r.provedAt, &r.expires)
	return r, err
}

func insertSession(tx *db.Tx, r *sessionRow, hash []byte, client, agent string) error {
	_, err := tx.Exec(`
		INSERT INTO staff_sessions (hash, id, staff_id, client, agent, created_at, seen_at, proved_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, hash, r.id, r.member.id, client, agent, db.Millis(r.createdAt), db.Millis(r.seenAt),
		db.Millis(r.provedAt), db.Millis(r.expires))
	if err != nil {
		return fmt.Errorf("insert session: %w", err)
	}
	return nil
}

// isSessionActive reports whether a session, by its ID, has not ended, and its member may sign in.
func isSessionActive(tx *db.Tx, id string) (bool, error) {
	var n int64
	err := tx.QueryRow(`
		SELECT COUNT(*)
		FROM staff_sessions s
		JOIN staff m ON m.id = s.staff_id
		WHERE s.id = ? AND s.expires_at > ? AND m.status = 'active'`, id, db.Millis(tx.Now())).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("find session: %w", err)
	}
	return n > 0, nil
}

// findSessions returns the sessions of a staff member that have not ended, newest first.
func findSessions(tx *db.Tx, memberID string) ([]SessionInfo, error) {
	list, err := db.Query(tx, func(r db.Row) (v SessionInfo, err error) {
		return v, r.Scan(&v.ID, &v.Agent, &v.Client, &v.CreatedAt, &v.SeenAt)
	}, `
		SELECT id, agent, client, created_at, seen_at
		FROM staff_sessions
		WHERE staff_id = ? AND expires_at > ?
		ORDER BY created_at DESC, id DESC`, memberID, db.Millis(tx.Now()))
	if err != nil {
		return nil, fmt.Errorf("find sessions: %w", err)
	}
	return list, nil
}

// updateSessionSeen records that a session is used now, and so extends it unless it has ended.
func updateSessionSeen(tx *db.Tx, hash []byte, idle, lifetime time.Duration) error {
	_, err := tx.Exec(`
		UPDATE staff_sessions
		SET seen_at = ?, expires_at = CASE WHEN created_at + ? < ? THEN created_at + ? ELSE ? END
		WHERE hash = ? AND expires_at > ?`, db.Millis(tx.Now()), lifetime.Milliseconds(), db.Millis(tx.Now().Add(idle)),
		lifetime.Milliseconds(), db.Millis(tx.Now().Add(idle)), hash, db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("update session: %w", err)
	}
	return nil
}

func updateSessionProved(tx *db.Tx, id string) error {
	_, err := tx.Exec(`
		UPDATE staff_sessions
		SET proved_at = ?
		WHERE id = ?`, db.Millis(tx.Now()), id)
	if err != nil {
		return fmt.Errorf("update session: %w", err)
	}
	return nil
}

// endSession ends one session of a staff member, and reports whether there was one.
func endSession(tx *db.Tx, memberID, id string) (ended bool, err error) {
	n, err := tx.Exec(`
		UPDATE staff_sessions
		SET expires_at = 0
		WHERE id = ? AND staff_id = ? AND expires_at > ?`, id, memberID, db.Millis(tx.Now()))
	if err != nil {
		return false, fmt.Errorf("end session: %w", err)
	}
	return n > 0, nil
}

// endSessions ends all sessions of a staff member.
func endSessions(tx *db.Tx, memberID string) error {
	_, err := tx.Exec(`
		UPDATE staff_sessions
		SET expires_at = 0
		WHERE staff_id = ? AND expires_at > 0`, memberID)
	if err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	return nil
}

// deleteSurplusSessions deletes the oldest sessions of a staff member above maxSessions.
func deleteSurplusSessions(tx *db.Tx, memberID string) error {
	_, err := tx.Exec(`
		DELETE FROM staff_sessions
		WHERE id IN (
			SELECT id
			FROM staff_sessions
			WHERE staff_id = ?
			ORDER BY created_at DESC, id DESC
			LIMIT 100
			OFFSET ?
		)`, memberID, maxSessions)
	if err != nil {
		return fmt.Errorf("delete sessions: %w", err)
	}
	return nil
}

// isKnownClient reports whether the client has signed in as the staff member lately.
func isKnownClient(tx *db.Tx, memberID, client string) (known bool, err error) {
	if client == "" || memberID == "" {
		return false, nil
	}
	err = tx.QueryRow(`
		SELECT count(*) > 0
		FROM staff_sessions
		WHERE staff_id = ? AND client = ?`, memberID, client).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("find known client: %w", err)
	}
	return known, nil
}
