package outbox

import (
	"encoding/json"
	"fmt"

	"storefront/db"
)

// AppendRestored stores the restore event in a copy that replaces a shop. Its number is above seq,
// which must be at least the last number of the replaced shop: webhook endpoints have received the
// numbers of the lost events, and would drop new events with these.
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
