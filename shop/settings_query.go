package shop

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/money"
	"storefront/shop/timezone"
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

// findZone returns the shop's time zone in the transaction.
func findZone(tx *db.Tx) (*time.Location, error) {
	set, err := findSettings(tx)
	if err != nil {
		return nil, err
	}
	return timezone.Find(set.timeZone())
}

// currencyIn returns the shop's currency inside a transaction.
func currencyIn(tx *db.Tx) (currency money.Currency, err error) {
	code, err := findSetting[string](tx, "currency")
	if err == nil {
		currency, _ = money.ParseCurrency(code)
	}
	return currency, err
}

// findSetting returns one setting without parsing the others; the zero value if it is not stored.
func findSetting[T any](tx *db.Tx, key string) (value T, err error) {
	var text string
	err = tx.QueryRow(`
		SELECT value
		FROM settings
		WHERE key = ?`, key).Scan(&text)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return value, nil
	case err != nil:
		return value, fmt.Errorf("find setting %s: %w", key, err)
	}
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return value, fmt.Errorf("parse setting %s: %w", key, err)
	}
	return value, nil
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

// toRows and fromRows convert settings to one value per field and back. Encoding a struct of plain
// fields cannot fail, and neither can decoding the result; decoding a file that was edited by hand
// can.
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
