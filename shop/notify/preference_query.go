package notify

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/outbox"
)

// preferenceRow is a row of staff_notify. The zero value is for a member without a row.
type preferenceRow struct {
	quiet          quietHours
	chat, chatName string     // of Telegram; "" if there is none
	codeHash       []byte     // of the code that links a chat; nil if there is none
	codeExpires    *time.Time // nil if there is none
	seen           int64      // the last event that the member has seen
}

const preferenceColumns = `quiet_from, quiet_until, chat, chat_name, code_hash, code_expires, seen`

func scanPreferences(r db.Row, further ...any) (p preferenceRow, err error) {
	return p, r.Scan(append([]any{&p.quiet.from, &p.quiet.until, &p.chat, &p.chatName, &p.codeHash, &p.codeExpires, &p.seen}, further...)...)
}

func findPreferences(tx *db.Tx, staffID string) (preferenceRow, error) {
	p, err := scanPreferences(tx.QueryRow(`
		SELECT `+preferenceColumns+`
		FROM staff_notify
		WHERE staff_id = ?`, staffID))
	if isNotFound(err) {
		return preferenceRow{}, nil
	}
	if err != nil {
		return p, fmt.Errorf("find preferences: %w", err)
	}
	return p, nil
}

// findAllPreferences returns the preferences by staff member.
func findAllPreferences(tx *db.Tx) (map[string]preferenceRow, error) {
	all := map[string]preferenceRow{}
	err := tx.Each(`
		SELECT `+preferenceColumns+`, staff_id
		FROM staff_notify`, nil, func(r db.Row) error {
		var id string
		p, err := scanPreferences(r, &id)
		all[id] = p
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find preferences: %w", err)
	}
	return all, nil
}

// hasPreferences reports whether any member may be reached: by a browser, a chat, a choice, or an
// e-mail about the shop's plan. Most members have no choices.
func hasPreferences(tx *db.Tx) (has bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (SELECT 1 FROM push_devices) OR EXISTS (SELECT 1 FROM staff_notify WHERE chat <> '')
			OR EXISTS (SELECT 1 FROM staff WHERE notify <> '{}')
			OR EXISTS (SELECT 1 FROM settings WHERE key = 'plan' AND value <> 'null')`).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("find any preferences: %w", err)
	}
	return has, nil
}

func savePreferences(tx *db.Tx, staffID string, p preferenceRow) error {
	_, err := tx.Exec(`
		INSERT INTO staff_notify (staff_id, quiet_from, quiet_until, chat, chat_name, code_hash, code_expires, seen)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (staff_id) DO UPDATE
		SET quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until, chat = excluded.chat, chat_name = excluded.chat_name,
			code_hash = excluded.code_hash, code_expires = excluded.code_expires, seen = excluded.seen`,
		staffID, p.quiet.from, p.quiet.until, p.chat, p.chatName, p.codeHash, db.NullMillis(p.codeExpires), p.seen)
	if err != nil {
		return fmt.Errorf("save preferences: %w", err)
	}
	return nil
}

// unlinkChat ends the notifications by Telegram of a member, unless another chat has been linked
// since.
func unlinkChat(tx *db.Tx, staffID, chat string) error {
	_, err := tx.Exec(`
		UPDATE staff_notify
		SET chat = '', chat_name = ''
		WHERE staff_id = ? AND chat = ?`, staffID, chat)
	if err != nil {
		return fmt.Errorf("unlink chat: %w", err)
	}
	return nil
}

// unlinkChats ends the notifications by Telegram of all members.
func unlinkChats(tx *db.Tx) error {
	if _, err := tx.Exec(`
		UPDATE staff_notify
		SET chat = '', chat_name = '', code_hash = NULL, code_expires = NULL`); err != nil {
		return fmt.Errorf("unlink chats: %w", err)
	}
	return nil
}

// findRecentEvents returns the events of some types after one that a staff member has not caused,
// the newest first, at most limit.
func findRecentEvents(tx *db.Tx, staffID string, types []outbox.Type, after int64, limit int) (recent []outbox.Event, err error) {
	if len(types) == 0 {
		return nil, nil
	}
	for before := int64(math.MaxInt64); len(recent) < limit; {
		events, err := findEventsBetween(tx, types, after, before, limit)
		if err != nil {
			return nil, err
		}
		for i := range events {
			if before = events[i].Seq; !isOwn(&events[i], staffID) && len(recent) < limit {
				recent = append(recent, events[i])
			}
		}
		if len(events) < limit {
			break
		}
	}
	return recent, nil
}

// findEventsBetween returns the events of some types after one and before another, the newest
// first, at most limit.
func findEventsBetween(tx *db.Tx, types []outbox.Type, after, before int64, limit int) ([]outbox.Event, error) {
	args := []any{after, before}
	for _, kind := range types {
		args = append(args, string(kind))
	}
	events, err := db.Query(tx, func(r db.Row) (e outbox.Event, err error) {
		var data string
		if err := r.Scan(&e.Seq, &e.At, &e.Type, &e.Subject, &data); err != nil {
			return e, err
		}
		return e, json.Unmarshal([]byte(data), &e.Data)
	}, `
		SELECT seq, at, type, subject, data
		FROM outbox
		WHERE seq > ? AND seq < ? AND COALESCE(held_until, 1) > 0 AND type IN (?`+strings.Repeat(", ?", len(types)-1)+`)
		ORDER BY seq DESC
		LIMIT ?`, append(args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("find recent events: %w", err)
	}
	return events, nil
}

// findFirstSignIn returns the event of a staff member's first sign-in after one; 0 means none.
func findFirstSignIn(tx *db.Tx, staffID string, after int64) (seq int64, err error) {
	err = tx.QueryRow(`
		SELECT coalesce(min(seq), 0)
		FROM outbox
		WHERE seq > ? AND type = ? AND subject = ?`, after, string(outbox.StaffSignedIn), staffID).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("find first sign-in: %w", err)
	}
	return seq, nil
}
