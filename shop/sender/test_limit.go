package sender

import (
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// MaxTests limits the test messages of a use case in testWindow: a message to a phone costs money,
// and its recipient need not belong to the shop.
const MaxTests = 20

const testWindow = 24 * time.Hour

// LimitTests checks by the audit log that a use case has not sent too many test messages. It must
// be called before the entry is written, in the same transaction. Codes: rate_limited.
func LimitTests(tx *db.Tx, use access.UseCase) error {
	var at time.Time // time of the first of the last tests
	err := tx.QueryRow(`
		SELECT at
		FROM audit_log
		WHERE action = ? AND at > ?
		ORDER BY at DESC, id DESC
		LIMIT 1 OFFSET ?`, use.Action, db.Millis(tx.Now().Add(-testWindow)), MaxTests-1).Scan(&at)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("count test messages: %w", err)
	}
	limited := fault.Errorf(
		fault.CodeRateLimited,
		"The shop has sent %d test messages of this kind in 24 hours. Try again later.",
		MaxTests,
	)
	limited.RetryAfter = int(at.Add(testWindow).Sub(tx.Now())/time.Second) + 1
	return limited
}
