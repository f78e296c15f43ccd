package staff

import (
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// NotifiedMember is a staff member as a recipient of notifications.
type NotifiedMember struct {
	ID, Name      string
	Language      Language
	Phone, Email  string // "" means none
	Notifications Notifications
	Permits       func(p access.Permission) bool
}

func (m *memberRow) notified() NotifiedMember {
	return NotifiedMember{m.id, m.name, m.language, db.TextOf(m.phone), db.TextOf(m.email), m.notify, m.permits}
}

// ListNotified returns the staff members who can sign in.
func ListNotified(tx *db.Tx) (list []NotifiedMember, err error) {
	rows, err := findMembers(tx)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].status == StatusActive {
			list = append(list, rows[i].notified())
		}
	}
	return list, nil
}

// FindNotified returns a staff member who can sign in, by ID, e-mail address or phone number.
// Codes: not_found.
func FindNotified(tx *db.Tx, user, country string) (*NotifiedMember, error) {
	row, err := requireMember(tx, user, country)
	if err != nil {
		return nil, err
	}
	if row.status != StatusActive {
		return nil, fault.Errorf(fault.CodeNotFound, "The staff member cannot sign in, so no notifications are sent.")
	}
	return new(row.notified()), nil
}

// FindSessionID returns the ID of the caller's session.
func FindSessionID(tx *db.Tx, caller access.Caller) (string, error) {
	session, err := findSession(tx, hashToken(caller.Session))
	if err != nil {
		return "", fmt.Errorf("find session: %w", err)
	}
	return session.id, nil
}

// SaveNotifications saves the channels that a staff member has chosen.
func SaveNotifications(tx *db.Tx, id string, chosen Notifications) error {
	row, err := requireMember(tx, id, "")
	if err != nil {
		return err
	}
	row.notify = chosen
	return updateMember(tx, &row)
}
