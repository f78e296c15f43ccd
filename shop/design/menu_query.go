package design

import (
	"encoding/json"
	"fmt"

	"storefront/db"
)

// findMenus returns the stored menus: empty lists if there are none.
func findMenus(tx *db.Tx) (*Menus, error) {
	type row struct{ name, items string }
	rows, err := db.Query(tx, func(r db.Row) (found row, err error) {
		err = r.Scan(&found.name, &found.items)
		return found, err
	}, `
		SELECT name, items
		FROM menus
		ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("find menus: %w", err)
	}
	found := &Menus{Main: []MenuItem{}, Footer: []MenuItem{}, Secondary: []MenuItem{}}
	for _, one := range found.all() {
		for _, r := range rows {
			if r.name != one.name {
				continue
			}
			if err := json.Unmarshal([]byte(r.items), one.items); err != nil {
				return nil, fmt.Errorf("parse menu %s: %w", r.name, err)
			}
		}
	}
	return found, nil
}

func saveMenus(tx *db.Tx, menus *Menus) error {
	for _, one := range menus.all() {
		err := tx.Do(`
			INSERT INTO menus (name, items)
			VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET items = excluded.items`, one.name, jsonOf(*one.items))
		if err != nil {
			return fmt.Errorf("save menus: %w", err)
		}
	}
	return nil
}
