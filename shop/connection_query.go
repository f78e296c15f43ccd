package shop

import (
	"errors"
	"fmt"

	"storefront/db"
)

const connectionColumns = "name, mode, state, words, request_id, checked_at, proved_at, failed, next_at"

func scanConnection(r db.Row) (c connectionRow, err error) {
	err = r.Scan(&c.name, &c.mode, &c.state, &c.words, &c.requestID, &c.checkedAt, &c.provedAt, &c.failed, &c.nextAt)
	return c, err
}

// findConnection returns a connection, nil if nothing was sent with its settings.
func findConnection(tx *db.Tx, key connectionKey) (*connectionRow, error) {
	c, err := scanConnection(tx.QueryRow(`
		SELECT `+connectionColumns+`
		FROM connections
		WHERE name = ? AND mode = ?`, key.name, key.mode))
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find connection: %w", err)
	}
	return &c, nil
}

// findConnections returns all connections.
func findConnections(tx *db.Tx) (map[connectionKey]*connectionRow, error) {
	all, err := db.Query(tx, scanConnection, `
		SELECT `+connectionColumns+`
		FROM connections
		ORDER BY name, mode`)
	if err != nil {
		return nil, fmt.Errorf("find connections: %w", err)
	}
	found := make(map[connectionKey]*connectionRow, len(all))
	for i := range all {
		found[all[i].connectionKey] = &all[i]
	}
	return found, nil
}

// findDueConnections returns the connections that are checked again.
func findDueConnections(tx *db.Tx) ([]connectionRow, error) {
	due, err := db.Query(tx, scanConnection, `
		SELECT `+connectionColumns+`
		FROM connections
		WHERE next_at IS NOT NULL
		ORDER BY name, mode`)
	if err != nil {
		return nil, fmt.Errorf("find due connections: %w", err)
	}
	return due, nil
}

func upsertConnection(tx *db.Tx, c *connectionRow) error {
	_, err := tx.Exec(`
		INSERT INTO connections (`+connectionColumns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name, mode) DO UPDATE
		SET state = excluded.state, words = excluded.words, request_id = excluded.request_id, checked_at = excluded.checked_at,
			proved_at = excluded.proved_at, failed = excluded.failed, next_at = excluded.next_at`,
		c.name, c.mode, c.state, c.words, c.requestID, c.checkedAt, c.provedAt, c.failed, c.nextAt)
	if err != nil {
		return fmt.Errorf("save connection: %w", err)
	}
	return nil
}

// deleteConnection deletes a connection, because its settings have changed.
func deleteConnection(tx *db.Tx, name string) error {
	if _, err := tx.Exec("DELETE FROM connections WHERE name = ?", name); err != nil {
		return fmt.Errorf("delete connection: %w", err)
	}
	return nil
}
