package staff

import (
	"encoding/json"
	"fmt"
	"time"

	"storefront/db"
)

func insertLink(tx *db.Tx, memberID string, link *Link, hash []byte, by Actor) error {
	actor, err := json.Marshal(by)
	if err != nil {
		return fmt.Errorf("encode actor: %w", err)
	}
	_, err = tx.Exec(`
		INSERT INTO staff_links (hash, staff_id, kind, created_by, created_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?)`, hash, memberID, link.Kind, string(actor), db.Millis(tx.Now()), db.Millis(link.ExpiresAt))
	if err != nil {
		return fmt.Errorf("insert link: %w", err)
	}
	return nil
}

// findLink returns the valid link with the hash of its token, or db.ErrNotFound. It ignores links
// created in the future, which means that the clock was set back.
func findLink(tx *db.Tx, hash []byte) (r linkRow, err error) {
	var by string
	r.member, err = scanMember(tx.QueryRow(`
		SELECT `+memberColumns+`, l.kind, l.created_by
		FROM staff_links l
		JOIN staff m ON m.id = l.staff_id
		WHERE l.hash = ? AND l.expires_at > ? AND l.created_at <= ?`, hash, db.Millis(tx.Now()), db.Millis(tx.Now())), &r.kind, &by)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(by), &r.createdBy); err != nil {
		return r, fmt.Errorf("decode actor: %w", err)
	}
	return r, nil
}

// findInvitations returns the expiry of the valid invitation of each invited staff member.
func findInvitations(tx *db.Tx) (map[string]*time.Time, error) {
	type invitation struct {
		linkRow
		expires time.Time
	}
	list, err := db.Query(tx, func(r db.Row) (v invitation, err error) {
		var by string
		if v.member, err = scanMember(r, &by, &v.expires); err != nil {
			return v, err
		}
		return v, json.Unmarshal([]byte(by), &v.createdBy)
	}, `
		SELECT `+memberColumns+`, l.created_by, l.expires_at
		FROM staff_links l
		JOIN staff m ON m.id = l.staff_id
		WHERE m.status = ? AND l.kind = ? AND l.expires_at > ?
		ORDER BY l.expires_at`, StatusInvited, LinkInvite, db.Millis(tx.Now()))
	if err != nil {
		return nil, fmt.Errorf("find invitations: %w", err)
	}
	expires := map[string]*time.Time{}
	for i := range list {
		vouched, err := isVouchedFor(tx, list[i].createdBy, &list[i].member)
		if err != nil {
			return nil, err
		}
		if vouched {
			expires[list[i].member.id] = &list[i].expires
		}
	}
	return expires, nil
}

// deleteLinks deletes the links of a staff member.
func deleteLinks(tx *db.Tx, memberID string) error {
	_, err := tx.Exec(`
		DELETE FROM staff_links
		WHERE staff_id = ?`, memberID)
	if err != nil {
		return fmt.Errorf("delete links: %w", err)
	}
	return nil
}
