package account

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// otpRow is a code as stored.
type otpRow struct {
	id             string
	kind           contactKind
	contact        string // the contact of the code
	purpose        purpose
	client         []byte // hash of the client that requested it
	network        []byte // hash of that client's network; nil if unknown
	hash           []byte
	segments       int
	failedAttempts int
	usedAt         *time.Time
	createdAt      time.Time
}

// isLive reports whether the code can verify the contact.
func (o otpRow) isLive(now time.Time) bool {
	return o.usedAt == nil && o.failedAttempts < MaxOTPAttempts && now.Before(o.createdAt.Add(o.kind.rules().lifetime))
}

// The queries ignore codes created in the future, which were stored before the clock was set back.
// Otherwise a clock that was a day ahead would lock a phone out for a day.

// findLastCode returns the newest code of a contact, the only one that can be live. The error is
// db.ErrNotFound if there is none within a day.
func findLastCode(tx *db.Tx, kind contactKind, contact string) (otpRow, error) {
	row, r := otpRow{kind: kind, contact: contact}, kind.rules()
	var used *int64
	var created int64
	err := tx.QueryRow(`
		SELECT id, client, code_hash, `+r.cost+`, `+r.purpose+`, wrong_tries, used_at, created_at
		FROM `+r.table+`
		WHERE `+r.column+` = ? AND created_at <= ?
		ORDER BY created_at DESC, id DESC
		LIMIT 1`, contact, db.Millis(tx.Now())).
		Scan(&row.id, &row.client, &row.hash, &row.segments, &row.purpose, &row.failedAttempts, &used, &created)
	if err != nil {
		return otpRow{}, fmt.Errorf("find code: %w", err)
	}
	row.usedAt, row.createdAt = db.FromNullMillis(used), db.FromMillis(created)
	return row, nil
}

// insertCode inserts a code. Its message is being sent, or is withheld if withheld is set.
func insertCode(tx *db.Tx, row otpRow, withheld bool) error {
	var err error
	switch row.kind {
	case byEmail:
		state := "sending"
		if withheld {
			state = "withheld"
		}
		_, err = tx.Exec(`
			INSERT INTO email_codes (id, email, purpose, client, network, code_hash, state, message_id, created_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, '', ?)`,
			row.id, row.contact, row.purpose, row.client, row.network, row.hash, state, db.Millis(row.createdAt))
	default:
		_, err = tx.Exec(`
			INSERT INTO otp_codes (id, phone, client, network, code_hash, state, message_id, segments, created_at)
			VALUES (?, ?, ?, ?, ?, 'sending', '', ?, ?)`,
			row.id, row.contact, row.client, row.network, row.hash, row.segments, db.Millis(row.createdAt))
	}
	if err != nil {
		return fmt.Errorf("insert code: %w", err)
	}
	return nil
}

func saveMessageState(tx *db.Tx, row otpRow, state, messageID string) error {
	_, err := tx.Exec(`
		UPDATE `+row.kind.rules().table+`
		SET state = ?, message_id = ?
		WHERE id = ?`, state, messageID, row.id)
	if err != nil {
		return fmt.Errorf("save message state: %w", err)
	}
	return nil
}

func saveFailedAttempt(tx *db.Tx, row otpRow) error {
	_, err := tx.Exec(`
		UPDATE `+row.kind.rules().table+`
		SET wrong_tries = wrong_tries + 1
		WHERE id = ?`, row.id)
	if err != nil {
		return fmt.Errorf("count wrong code: %w", err)
	}
	return nil
}

func useCode(tx *db.Tx, row otpRow) error {
	_, err := tx.Exec(`
		UPDATE `+row.kind.rules().table+`
		SET used_at = ?
		WHERE id = ?`, db.Millis(tx.Now()), row.id)
	if err != nil {
		return fmt.Errorf("use code: %w", err)
	}
	return nil
}

func deleteCode(tx *db.Tx, row otpRow) error {
	_, err := tx.Exec(`
		DELETE FROM `+row.kind.rules().table+`
		WHERE id = ?`, row.id)
	if err != nil {
		return fmt.Errorf("delete code: %w", err)
	}
	return nil
}

func deleteOldCodes(tx *db.Tx, kind contactKind, before time.Time) error {
	_, err := tx.Exec(`
		DELETE FROM `+kind.rules().table+`
		WHERE created_at <= ?`, db.Millis(before))
	if err != nil {
		return fmt.Errorf("delete old codes: %w", err)
	}
	return nil
}

// codesOf selects codes of one kind by contact, requesting client and network.
type codesOf struct {
	kind    contactKind
	contact string // "" means any
	client  []byte // nil means any
	network []byte // nil means any
}

// findNthUnverified returns the time of the nth newest of the selected unused codes sent after
// since, or the zero time if there are fewer.
func findNthUnverified(tx *db.Tx, of codesOf, since time.Time, n int64) (time.Time, error) {
	r := of.kind.rules()
	query := `
		SELECT created_at
		FROM ` + r.table + `
		WHERE used_at IS NULL AND created_at > ? AND created_at <= ?`
	args := []any{db.Millis(since), db.Millis(tx.Now())}
	if of.contact != "" {
		query, args = query+` AND `+r.column+` = ?`, append(args, of.contact)
	}
	if of.client != nil {
		query, args = query+` AND client = ?`, append(args, of.client)
	}
	if of.network != nil {
		query, args = query+` AND network = ?`, append(args, of.network)
	}
	var created int64
	err := tx.QueryRow(query+`
		ORDER BY created_at DESC
		LIMIT 1
		OFFSET ?`, append(args, n-1)...).Scan(&created)
	if errors.Is(err, db.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("count codes: %w", err)
	}
	return db.FromMillis(created), nil
}

// sumUnverified returns the number of billed messages of the unused codes sent after since, and the
// time of the first of them.
func sumUnverified(tx *db.Tx, kind contactKind, since time.Time) (segments int64, first time.Time, err error) {
	r := kind.rules()
	var created int64
	err = tx.QueryRow(`
		SELECT coalesce(sum(`+r.cost+`), 0), coalesce(min(created_at), 0)
		FROM `+r.table+`
		WHERE used_at IS NULL AND created_at > ? AND created_at <= ?`, db.Millis(since), db.Millis(tx.Now())).Scan(&segments, &created)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("sum messages: %w", err)
	}
	return segments, db.FromMillis(created), nil
}

// sumFailedAttempts returns the number of wrong attempts at codes sent after since, and the time of
// the first of these codes.
func sumFailedAttempts(tx *db.Tx, kind contactKind, since time.Time) (attempts int64, first time.Time, err error) {
	var created int64
	err = tx.QueryRow(`
		SELECT coalesce(sum(wrong_tries), 0), coalesce(min(created_at), 0)
		FROM `+kind.rules().table+`
		WHERE wrong_tries > 0 AND created_at > ? AND created_at <= ?`, db.Millis(since), db.Millis(tx.Now())).Scan(&attempts, &created)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("sum wrong codes: %w", err)
	}
	return attempts, db.FromMillis(created), nil
}

// SentCode is a code that was sent to a phone or an e-mail address.
type SentCode struct {
	SentAt  time.Time  `json:"sentAt"`
	UsedAt  *time.Time `json:"usedAt"`  // null if it was not used
	Message string     `json:"message"` // the provider's message ID; "" if there is none
}

// FindSentCodes returns the codes sent to the contacts of an account within the last day, its
// phone's first, then oldest first. The account may be a [Guest].
func FindSentCodes(tx *db.Tx, row Account) ([]SentCode, error) {
	codes := []SentCode{}
	for _, kind := range []contactKind{byPhone, byEmail} {
		r := kind.rules()
		found, err := db.Query(tx, func(r db.Row) (c SentCode, err error) {
			var sent int64
			var used *int64
			err = r.Scan(&sent, &used, &c.Message)
			c.SentAt, c.UsedAt = db.FromMillis(sent), db.FromNullMillis(used)
			return c, err
		}, `
			SELECT created_at, used_at, message_id
			FROM `+r.table+`
			WHERE `+r.column+` = ? AND state <> 'withheld'
			ORDER BY created_at, id`, db.TextOf(row.contact(kind)))
		if err != nil {
			return nil, fmt.Errorf("find codes: %w", err)
		}
		codes = append(codes, found...)
	}
	return codes, nil
}

// deleteCodes deletes the codes sent to the contacts of an account.
func deleteCodes(tx *db.Tx, row Account) error {
	for _, kind := range []contactKind{byPhone, byEmail} {
		r := kind.rules()
		_, err := tx.Exec(`
			DELETE FROM `+r.table+`
			WHERE `+r.column+` = ?`, db.TextOf(row.contact(kind)))
		if err != nil {
			return fmt.Errorf("delete codes: %w", err)
		}
	}
	return nil
}
