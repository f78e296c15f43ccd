package endpoint

import (
	"encoding/json"
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

const endpointColumns = `id, url, label, types, payload, active, disabled_reason, failing_since, last_at, last_status, since,
	created_by, created_at, rotated_at`

func scanEndpoint(r db.Row) (e Endpoint, err error) {
	var types, by string
	var active int
	var lastAt *int64
	var lastStatus *int
	err = r.Scan(&e.ID, &e.URL, &e.Label, &types, &e.Payload, &active, &e.DisabledReason, &e.FailingSince, &lastAt, &lastStatus, &e.since, &by,
		&e.CreatedAt, &e.RotatedAt)
	if err != nil {
		return e, err
	}
	e.Active = active != 0
	if lastAt != nil {
		e.LastDelivery = &LastDelivery{At: db.FromMillis(*lastAt), ResponseStatus: lastStatus}
	}
	return e, errors.Join(json.Unmarshal([]byte(types), &e.Types), json.Unmarshal([]byte(by), &e.CreatedBy))
}

func findEndpoints(tx *db.Tx) ([]Endpoint, error) {
	list, err := db.Query(tx, scanEndpoint, `
		SELECT `+endpointColumns+`
		FROM webhook_endpoints
		ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("find webhook endpoints: %w", err)
	}
	return list, nil
}

// findEndpoint returns a webhook endpoint. Codes: not_found.
func findEndpoint(tx *db.Tx, id string) (*Endpoint, error) {
	found, err := scanEndpoint(tx.QueryRow(`
		SELECT `+endpointColumns+`
		FROM webhook_endpoints
		WHERE id = ?`, id))
	if errors.Is(err, db.ErrNotFound) {
		return nil, fault.Errorf(fault.CodeNotFound, "There is no such webhook endpoint.")
	}
	if err != nil {
		return nil, fmt.Errorf("find webhook endpoint: %w", err)
	}
	return &found, nil
}

func insertEndpoint(tx *db.Tx, e *Endpoint) error {
	by, err := json.Marshal(e.CreatedBy)
	if err != nil {
		return fmt.Errorf("encode actor: %w", err)
	}
	types, err := encodeTypes(e.Types)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`
		INSERT INTO webhook_endpoints (id, url, label, types, payload, active, since, created_by, created_at)
		VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?)`, e.ID, e.URL, e.Label, types, string(e.Payload), e.since, string(by), db.Millis(e.CreatedAt))
	if err != nil {
		return fmt.Errorf("insert webhook endpoint: %w", err)
	}
	return nil
}

func encodeTypes(types []outbox.Type) (string, error) {
	text, err := json.Marshal(types)
	if err != nil {
		return "", fmt.Errorf("encode types of events: %w", err)
	}
	return string(text), nil
}

// updateEndpoint saves the changeable fields of a webhook endpoint.
func updateEndpoint(tx *db.Tx, e *Endpoint) error {
	types, err := encodeTypes(e.Types)
	if err != nil {
		return err
	}
	by, err := json.Marshal(e.CreatedBy)
	if err != nil {
		return fmt.Errorf("encode actor: %w", err)
	}
	var lastAt *int64
	var lastStatus *int
	if e.LastDelivery != nil {
		lastAt, lastStatus = new(db.Millis(e.LastDelivery.At)), e.LastDelivery.ResponseStatus
	}
	active := 0
	if e.Active {
		active = 1
	}
	_, err = tx.Exec(`
		UPDATE webhook_endpoints
		SET url = ?, label = ?, types = ?, payload = ?, active = ?, disabled_reason = ?, failing_since = ?, last_at = ?, last_status = ?,
			since = ?, created_by = ?, rotated_at = ?
		WHERE id = ?`, e.URL, e.Label, types, string(e.Payload), active, e.DisabledReason, db.NullMillis(e.FailingSince), lastAt, lastStatus,
		e.since, string(by), db.NullMillis(e.RotatedAt), e.ID)
	if err != nil {
		return fmt.Errorf("update webhook endpoint: %w", err)
	}
	return nil
}

func deleteEndpoint(tx *db.Tx, id string) error {
	for _, query := range []string{
		`DELETE FROM webhook_deliveries
		WHERE endpoint_id = ?`,
		`DELETE FROM webhook_endpoints
		WHERE id = ?`,
	} {
		if _, err := tx.Exec(query, id); err != nil {
			return fmt.Errorf("delete webhook endpoint: %w", err)
		}
	}
	return nil
}

// renameEndpoint replaces the ID of an endpoint without deliveries.
func renameEndpoint(tx *db.Tx, from, to string) error {
	_, err := tx.Exec(`
		UPDATE webhook_endpoints
		SET id = ?
		WHERE id = ?`, to, from)
	if err != nil {
		return fmt.Errorf("rename webhook endpoint: %w", err)
	}
	return nil
}
