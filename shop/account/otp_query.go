package account

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/onetime"
)

// otpRow is a code to be stored.
type otpRow struct {
	onetime.Code
	kind     contactKind
	network  []byte // hash of the client's network; nil if unknown
	segments int
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
			row.ID, row.Recipient, row.Purpose, row.Client, row.network, row.Hash, state, db.Millis(row.CreatedAt))
	default:
		_, err = tx.Exec(`
			INSERT INTO otp_codes (id, phone, client, network, code_hash, state, message_id, segments, created_at)
			VALUES (?, ?, ?, ?, ?, 'sending', '', ?, ?)`,
			row.ID, row.Recipient, row.Client, row.network, row.Hash, row.segments, db.Millis(row.CreatedAt))
	}
	if err != nil {
		return fmt.Errorf("insert code: %w", err)
	}
	return nil
}

// The queries ignore codes created in the future, which were stored before the clock was set back.

// codesOf selects codes of one kind by contact, requesting client and network.
type codesOf struct {
	kind    contactKind
	contact string // "" means any
	client  []byte // nil means any
	network []byte // nil means any
}

// where returns the condition of the selected unused codes sent after since, and its arguments.
func (of codesOf) where(tx *db.Tx, since time.Time) (condition string, args []any) {
	condition = `used_at IS NULL AND created_at > ? AND created_at <= ?`
	args = []any{db.Millis(since), db.Millis(tx.Now())}
	if of.contact != "" {
		condition, args = condition+` AND `+of.kind.rules().Recipient+` = ?`, append(args, of.contact)
	}
	if of.client != nil {
		condition, args = condition+` AND client = ?`, append(args, of.client)
	}
	if of.network != nil {
		condition, args = condition+` AND network = ?`, append(args, of.network)
	}
	return condition, args
}

// findNthUnverified returns the time of the nth newest of the selected unused codes sent after
// since, or the zero time if there are fewer.
func findNthUnverified(tx *db.Tx, of codesOf, since time.Time, n int64) (time.Time, error) {
	condition, args := of.where(tx, since)
	var created int64
	err := tx.QueryRow(`
		SELECT created_at
		FROM `+of.kind.rules().Name+`
		WHERE `+condition+`
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

// sumUnverified returns the number of billed messages of the selected unused codes sent after
// since, and the time of the first of them.
func sumUnverified(tx *db.Tx, of codesOf, since time.Time) (segments int64, first time.Time, err error) {
	condition, args := of.where(tx, since)
	var created int64
	err = tx.QueryRow(`
		SELECT coalesce(sum(`+of.kind.rules().cost+`), 0), coalesce(min(created_at), 0)
		FROM `+of.kind.rules().Name+`
		WHERE `+condition, args...).Scan(&segments, &created)
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
		FROM `+kind.rules().Name+`
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
			FROM `+r.Name+`
			WHERE `+r.Recipient+` = ? AND state <> 'withheld'
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
		if err := kind.rules().DeleteOf(tx, db.TextOf(row.contact(kind))); err != nil {
			return err
		}
	}
	return nil
}
