package onetime

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"storefront/db"
)

// Table is a table of codes. All of them have the columns id, client, code_hash, state, message_id,
// wrong_tries, own_tries, used_at and created_at.
type Table struct {
	Name      string
	Recipient string // column
	Purpose   string // SQL expression
	Lifetime  time.Duration
}

// State is the outcome of sending the message with a code.
type State string

// The states. The code of a rejected message is deleted.
const (
	Sent    State = "sent"
	Unknown State = "unknown"
)

// The queries ignore codes created in the future, which were stored before the clock was set back.
// Otherwise a clock that was a day ahead would lock a recipient out for a day.

// FindLast returns a recipient's newest code, the only one that can be live, or the zero Code.
// client is the hash of the requesting client, see [Code.IsRequester].
func (t Table) FindLast(tx *db.Tx, recipient string, client []byte) (Code, error) {
	c := Code{table: t, Recipient: recipient, isStored: true}
	var used *int64
	err := tx.QueryRow(`
		SELECT id, client, code_hash, `+t.Purpose+`, wrong_tries, own_tries, used_at, created_at
		FROM `+t.Name+`
		WHERE `+t.Recipient+` = ? AND created_at <= ?
		ORDER BY created_at DESC, id DESC
		LIMIT 1`, recipient, db.Millis(tx.Now())).
		Scan(&c.ID, &c.Client, &c.Hash, &c.Purpose, &c.allTries, &c.ownTries, &used, &c.CreatedAt)
	if errors.Is(err, db.ErrNotFound) {
		return Code{}, nil
	}
	if err != nil {
		return Code{}, fmt.Errorf("find code: %w", err)
	}
	c.usedAt = db.FromNullMillis(used)
	c.requester = client != nil && bytes.Equal(c.Client, client)
	return c, nil
}

// SaveState records the outcome of sending a code's message. messageID is the provider's.
func (t Table) SaveState(tx *db.Tx, id string, state State, messageID string) error {
	_, err := tx.Exec(`
		UPDATE `+t.Name+`
		SET state = ?, message_id = ?
		WHERE id = ?`, string(state), messageID, id)
	if err != nil {
		return fmt.Errorf("save state of message: %w", err)
	}
	return nil
}

// CountWrong counts a wrong attempt of the client at the code. The zero Code counts none.
func (c Code) CountWrong(tx *db.Tx) error {
	if c.IsZero() {
		return nil
	}
	own := 0
	if c.requester {
		own = 1
	}
	_, err := tx.Exec(`
		UPDATE `+c.table.Name+`
		SET wrong_tries = wrong_tries + 1, own_tries = own_tries + ?
		WHERE id = ?`, own, c.ID)
	if err != nil {
		return fmt.Errorf("count wrong code: %w", err)
	}
	return nil
}

// Use uses up the code.
func (c Code) Use(tx *db.Tx) error {
	_, err := tx.Exec(`
		UPDATE `+c.table.Name+`
		SET used_at = ?
		WHERE id = ?`, db.Millis(tx.Now()), c.ID)
	if err != nil {
		return fmt.Errorf("use code: %w", err)
	}
	return nil
}

// Delete deletes a code after its message was rejected.
func (t Table) Delete(tx *db.Tx, id string) error {
	_, err := tx.Exec(`
		DELETE FROM `+t.Name+`
		WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("delete code: %w", err)
	}
	return nil
}

// DeleteOld deletes the codes that were created before a time.
func (t Table) DeleteOld(tx *db.Tx, before time.Time) error {
	_, err := tx.Exec(`
		DELETE FROM `+t.Name+`
		WHERE created_at <= ?`, db.Millis(before))
	if err != nil {
		return fmt.Errorf("delete old codes: %w", err)
	}
	return nil
}

// DeleteOf deletes the codes of a recipient.
func (t Table) DeleteOf(tx *db.Tx, recipient string) error {
	_, err := tx.Exec(`
		DELETE FROM `+t.Name+`
		WHERE `+t.Recipient+` = ?`, recipient)
	if err != nil {
		return fmt.Errorf("delete codes: %w", err)
	}
	return nil
}

// EndOf makes the codes of a recipient invalid. They still count towards its limits.
func (t Table) EndOf(tx *db.Tx, recipient string) error {
	_, err := tx.Exec(`
		UPDATE `+t.Name+`
		SET used_at = ?
		WHERE `+t.Recipient+` = ? AND used_at IS NULL`, db.Millis(tx.Now()), recipient)
	if err != nil {
		return fmt.Errorf("end codes: %w", err)
	}
	return nil
}
