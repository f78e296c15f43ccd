package outbox

import (
	"encoding/json"
	"fmt"

	"storefront/db"
)

// AppendRestored stores in a copy that replaces a shop the event that it was restored. Its number
// is above seq, which no event of the replaced shop may exceed: the numbers of the events that are
// lost have been sent to webhook endpoints, which would drop another event with one of them.
func AppendRestored(tx *db.Tx, seq int64, subject string) error {
	data, err := json.Marshal(Data{Actor: Shop()})
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	_, err = tx.Exec(`
		INSERT INTO outbox (seq, at, type, subject, data)
		VALUES (?, ?, ?, ?, ?)`, seq+1, db.Millis(tx.Now()), string(ShopRestored), subject, string(data))
	if err != nil {
		return fmt.Errorf("insert event of a restore: %w", err)
	}
	return nil
}
