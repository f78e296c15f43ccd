package shop

import (
	"encoding/json"
	"fmt"

	"storefront/db"
)

func findSettings(tx *db.Tx) (Settings, error) {
	type row struct {
		key   string
		value json.RawMessage
	}
	rows, err := db.Query(tx, func(r db.Row) (v row, err error) {
		var value string
		err = r.Scan(&v.key, &value)
		v.value = json.RawMessage(value)
		return v, err
	}, `
		SELECT key, value
		FROM settings`)
	if err != nil {
		return Settings{}, fmt.Errorf("find settings: %w", err)
	}
	all := make(map[string]json.RawMessage, len(rows))
	for _, r := range rows {
		all[r.key] = r.value
	}
	var set Settings
	return set, fromRows(all, &set)
}

func saveSettings(tx *db.Tx, set Settings) error {
	for name, value := range toRows(set) {
		_, err := tx.Exec(`
			INSERT INTO settings (key, value)
			VALUES (?, ?)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value`, name, string(value))
		if err != nil {
			return fmt.Errorf("save setting %s: %w", name, err)
		}
	}
	return nil
}

// toRows and fromRows convert settings to one value per field and back. Encoding a struct of plain fields
// cannot fail, and neither can decoding the result; decoding a file that was edited by hand can.
func toRows(set Settings) map[string]json.RawMessage {
	whole, err := json.Marshal(set)
	if err != nil {
		panic(err)
	}
	rows := map[string]json.RawMessage{}
	if err := json.Unmarshal(whole, &rows); err != nil {
		panic(err)
	}
	return rows
}

func fromRows(rows map[string]json.RawMessage, set *Settings) error {
	whole, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	if err := json.Unmarshal(whole, set); err != nil {
		return fmt.Errorf("parse settings: %w", err)
	}
	return nil
}

func settingNames() map[string]json.RawMessage { return toRows(Settings{}) }
