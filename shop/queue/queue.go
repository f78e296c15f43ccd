// Package queue claims the rows of a table for one server at a time, and lets another one continue
// after a crash. It owns claims, the delays between attempts, and the deletion of old rows.
//
// The table has the columns claim and claimed_until, which are null while nobody works on a row. A
// claim that has ended may be replaced by another one. From then on it records nothing: at most one
// result of a row is stored, and an interrupted attempt is never lost. If rows are attempted at a
// time, the table also has the column due_at, which is null if no attempt is due.
//
// It does not know what the rows are. Package dispatch runs the work.
package queue

import (
	"crypto/rand"
	"fmt"
	"time"

	"storefront/db"
)

// Table describes a table with a queue.
type Table struct {
	Name string
	// ClaimTime is the time after which a claim ends. It is longer than an attempt takes.
	ClaimTime time.Duration
	// Delays are the delays after failed attempts, varied by the fraction Jitter. A service may
	// request longer ones up to MaxRetryAfter.
	Delays        []time.Duration
	Jitter        float64
	MaxRetryAfter time.Duration
	// Key has the columns of the primary key, Age the column with the age of a row. Rows older than
	// Retention are deleted in batches if they are Done, which is a condition.
	Key, Age, Done string
	Retention      time.Duration
	Batch          int
}

// Conditions of statements. The arguments are [Table.Claims], and for IsDue [Table.Due].
const (
	IsClaimed = `claim > '' AND claimed_until BETWEEN ? AND ?`
	IsFree    = `COALESCE(claimed_until, 0) NOT BETWEEN ? AND ?`
	IsDue     = `due_at <= ? AND ` + IsFree
)

// Claims returns the range of the ends of claims, then further arguments. Another server's clock
// may be ahead by up to ClaimTime. A claim that ends even later was made before the clock was set
// back.
func (q *Table) Claims(tx *db.Tx, more ...any) []any {
	return append([]any{db.Millis(tx.Now()) + 1, db.Millis(tx.Now().Add(2 * q.ClaimTime))}, more...)
}

// Due returns the arguments of [IsDue], then further ones.
func (q *Table) Due(tx *db.Tx, more ...any) []any {
	return append([]any{db.Millis(tx.Now())}, q.Claims(tx, more...)...)
}

// Claim identifies the work on the rows that were claimed together.
type Claim string

// Claim claims the rows that a condition selects. The additional assignments set begin with a
// comma; args are theirs and the condition's.
func (q *Table) Claim(tx *db.Tx, set, where string, args ...any) (Claim, error) {
	c := Claim(rand.Text())
	args = append([]any{string(c), db.Millis(tx.Now().Add(q.ClaimTime))}, args...)
	_, err := tx.Exec(`
		UPDATE `+q.Name+`
		SET claim = ?, claimed_until = ?`+set+`
		WHERE `+where, args...)
	if err != nil {
		return "", fmt.Errorf("claim %s: %w", q.Name, err)
	}
	return c, nil
}

// Renew extends a claim, and reports whether it is held.
func (q *Table) Renew(tx *db.Tx, c Claim) (held bool, err error) {
	n, err := tx.Exec(`
		UPDATE `+q.Name+`
		SET claimed_until = ?
		WHERE claim = ?`, db.Millis(tx.Now().Add(q.ClaimTime)), string(c))
	if err != nil {
		return false, fmt.Errorf("renew claim of %s: %w", q.Name, err)
	}
	return n > 0, nil
}

// Release ends a claim. The assignments set record the result, as for [Table.Claim]. It reports
// whether the claim was held; otherwise it changes nothing.
func (q *Table) Release(tx *db.Tx, c Claim, set string, args ...any) (held bool, err error) {
	n, err := tx.Exec(`
		UPDATE `+q.Name+`
		SET claim = NULL, claimed_until = NULL`+set+`
		WHERE claim = ?`, append(args, string(c))...)
	if err != nil {
		return false, fmt.Errorf("record result in %s: %w", q.Name, err)
	}
	return n > 0, nil
}

// EndInterrupted ends the claimed rows that a condition selects if their claims have ended, so that
// they are not attempted again, and returns their number. The arguments are as for [Table.Claim].
func (q *Table) EndInterrupted(tx *db.Tx, set, where string, args ...any) (count int64, err error) {
	count, err = tx.Exec(`
		UPDATE `+q.Name+`
		SET claim = NULL, claimed_until = NULL, due_at = NULL`+set+`
		WHERE `+where+` AND claim > '' AND `+IsFree, append(args, q.Claims(tx)...)...)
	if err != nil {
		return 0, fmt.Errorf("end interrupted %s: %w", q.Name, err)
	}
	return count, nil
}

// NextDue returns the earliest time after another at which one of the rows that a condition selects
// is due, unless somebody works on it. A zero time means that none is.
func (q *Table) NextDue(tx *db.Tx, after time.Time, where string, args ...any) (time.Time, error) {
	return q.first(tx, `
		SELECT MIN(due_at)
		FROM `+q.Name+`
		WHERE due_at > ? AND `+IsFree+` AND `+where, append([]any{db.Millis(after)}, q.Claims(tx, args...)...))
}

// NextEnd returns the end of the first claim. A zero time means that nobody works on a row.
func (q *Table) NextEnd(tx *db.Tx) (time.Time, error) {
	return q.first(tx, `
		SELECT MIN(claimed_until)
		FROM `+q.Name+`
		WHERE `+IsClaimed, q.Claims(tx))
}

func (q *Table) first(tx *db.Tx, query string, args []any) (at time.Time, err error) {
	var found *time.Time
	if err := tx.QueryRow(query, args...).Scan(&found); err != nil {
		return at, fmt.Errorf("find next of %s: %w", q.Name, err)
	}
	if found != nil {
		at = *found
	}
	return at, nil
}

// Next returns the earliest time after another at which a row is due, or a claim ends. A zero time
// means that none waits.
func (q *Table) Next(tx *db.Tx, after time.Time) (time.Time, error) {
	due, err := q.NextDue(tx, after, "due_at IS NOT NULL")
	if err != nil {
		return due, err
	}
	end, err := q.NextEnd(tx)
	return Earlier(due, end), err
}

// Earlier returns the earlier of two times. A zero time means never.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
