package staff

import (
	"fmt"

	"storefront/db"
	"storefront/shop/access"
)

// ReadEndedAccess returns the access to a shop that has ended: disabled or removed staff members,
// revoked API keys, and removed passkeys, as far as the audit log has them. It does not return nil.
func ReadEndedAccess(tx *db.Tx) ([]access.Subject, error) {
	ended, err := db.Query(tx, func(r db.Row) (on access.Subject, err error) {
		return on, r.Scan(&on.Kind, &on.ID, &on.Label)
	}, `
		SELECT 'staff', id, name
		FROM staff
		WHERE status = 'off'
		UNION
		SELECT subject_kind, subject_id, label
		FROM audit_log
		WHERE action IN (?, ?, ?)
		ORDER BY 1, 2, 3`, access.ToRemoveMember.Action, access.ToRevokeAPIKey.Action, access.ToRemovePasskey.Action)
	if err != nil {
		return nil, fmt.Errorf("find ended access: %w", err)
	}
	return db.OrEmpty(ended), nil
}

// CopyAccess describes the changes that a restore in place has made to a copy's access, by the
// names of staff members and the labels of API keys.
type CopyAccess struct {
	// EndedMembers were disabled or removed after the copy, and EndedKeys revoked. They are now
	// disabled and revoked again.
	EndedMembers []string `json:"endedMembers"`
	EndedKeys    []string `json:"endedKeys"`
	// CheckMembers and CheckKeys have access because the copy grants it, and the replaced file is
	// missing or unreadable. Somebody must check whether they may retain it.
	CheckMembers []string `json:"checkMembers"`
	CheckKeys    []string `json:"checkKeys"`
}

// RestrictCopy ends all sessions, links and codes in a copy of a shop, and the access that has
// ended since the copy. It records the ended access in the audit log, for the next copy. ended is
// read from the replaced file; nil means that it is unknown.
func (s *Staff) RestrictCopy(tx *db.Tx, ended []access.Subject) (*CopyAccess, error) {
	for _, table := range AccessTables() {
		query := "DELETE FROM " + table
		if table == "staff_sessions" { // they show the clients and times of a member's sign-ins
			query = "UPDATE staff_sessions SET expires_at = 0"
		}
		if _, err := tx.Exec(query); err != nil {
			return nil, fmt.Errorf("end access of a copy: %w", err)
		}
	}
	done := &CopyAccess{EndedMembers: []string{}, EndedKeys: []string{}, CheckMembers: []string{}, CheckKeys: []string{}}
	if ended == nil {
		return done, done.listAccess(tx)
	}
	known, err := ReadEndedAccess(tx)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, on := range known {
		seen[on.ID] = true
	}
	for _, on := range ended {
		if seen[on.ID] {
			continue
		}
		seen[on.ID] = true
		if err := s.endInCopy(tx, on, done); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// listAccess lists everybody with access.
func (c *CopyAccess) listAccess(tx *db.Tx) error {
	members, err := findMembers(tx)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.status != StatusOff {
			c.CheckMembers = append(c.CheckMembers, m.name)
		}
	}
	keys, err := findAPIKeys(tx)
	for _, key := range keys {
		c.CheckKeys = append(c.CheckKeys, key.Label)
	}
	return err
}

// endInCopy ends the access of a staff member, an API key or a passkey. If the copy lacks it
// because it is newer, it only writes the audit log.
func (s *Staff) endInCopy(tx *db.Tx, on access.Subject, done *CopyAccess) error {
	use, changes := access.ToRevokeAPIKey, []access.Change(nil)
	switch on.Kind {
	case access.SubjectPasskey:
		use = access.ToRemovePasskey
		if err := passkeys.Delete(tx, on.ID); err != nil {
			return err
		}
	case access.SubjectKey:
		_, err := findAPIKeyByID(tx, on.ID)
		if err == nil {
			done.EndedKeys = append(done.EndedKeys, on.Label)
			err = deleteAPIKey(tx, on.ID)
		}
		if err != nil && !isNotFound(err) {
			return err
		}
	default:
		m, err := findMember(tx, on.ID)
		switch {
		case isNotFound(err):
			use = access.ToRemoveMember
		case err != nil:
			return err
		default:
			done.EndedMembers = append(done.EndedMembers, m.name)
			use, changes = access.ToTurnOffMember, access.Changed("status", m.status, StatusOff)
			m.status = StatusOff
			if err := updateMember(tx, &m); err != nil {
				return err
			}
		}
	}
	return s.recordAs(tx, Actor{Kind: access.ActorCLI}, access.Operator(), use.Action, on, changes)
}
