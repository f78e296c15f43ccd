package staff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/access"
)

// findRequest returns the request with the same idempotency key, or db.ErrNotFound.
func findRequest(tx *db.Tx, actor Actor, request access.Request) (r requestRow, err error) {
	err = tx.QueryRow(`
		SELECT fingerprint, nonce, status, body, etag
		FROM staff_requests
		WHERE actor = ? AND operation = ? AND key = ? AND created_at > ?`,
		actorKey(actor), request.Operation, request.Key, db.Millis(tx.Now().Add(-requestTTL))).Scan(&r.fingerprint, &r.nonce, &r.status, &r.body, &r.etag)
	return r, err
}

// insertRequest stores a request with the subject of its effect in place of a response, and deletes
// the oldest ones of the actor above maxRequests.
func insertRequest(tx *db.Tx, actor Actor, request access.Request, subject []byte) error {
	_, err := tx.Exec(`
		DELETE FROM staff_requests
		WHERE actor = ? AND created_at <= (
			SELECT created_at
			FROM staff_requests
			WHERE actor = ?
			ORDER BY created_at DESC
			LIMIT 1
			OFFSET ?)`, actorKey(actor), actorKey(actor), maxRequests-1)
	if err != nil {
		return fmt.Errorf("delete surplus requests: %w", err)
	}
	// Only the same key, expired but not deleted yet, can conflict.
	_, err = tx.Exec(`
		INSERT INTO staff_requests (actor, operation, key, fingerprint, nonce, body, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (actor, operation, key) DO UPDATE
		SET fingerprint = excluded.fingerprint, nonce = excluded.nonce, status = NULL, body = excluded.body, etag = '',
			created_at = excluded.created_at`,
		actorKey(actor), request.Operation, request.Key, []byte(request.Fingerprint), request.Nonce, subject, db.Millis(tx.Now()))
	if err != nil {
		return fmt.Errorf("insert request: %w", err)
	}
	return nil
}

func saveResponse(tx *db.Tx, actor Actor, request access.Request, r Response) error {
	_, err := tx.Exec(`
		UPDATE staff_requests
		SET status = ?, body = ?, etag = ?
		WHERE actor = ? AND operation = ? AND key = ? AND nonce = ?`,
		r.Status, r.Body, r.ETag, actorKey(actor), request.Operation, request.Key, request.Nonce)
	if err != nil {
		return fmt.Errorf("save response: %w", err)
	}
	return nil
}

// EraseResponses erases the stored responses that contain one of the texts, such as the IDs of an
// erased buyer's orders, and the sealed ones, which may contain one. Their requests are not
// executed again.
func EraseResponses(tx *db.Tx, texts []string) error {
	type row struct{ actor, operation, key string }
	var found []row
	err := tx.Each(`
		SELECT actor, operation, key, body
		FROM staff_requests
		WHERE body IS NOT NULL`, nil, func(r db.Row) error {
		var one row
		var body []byte
		if err := r.Scan(&one.actor, &one.operation, &one.key, &body); err != nil {
			return err
		}
		sealed := !json.Valid(body)
		if sealed || slices.ContainsFunc(texts, func(text string) bool { return text != "" && bytes.Contains(body, []byte(text)) }) {
			found = append(found, one)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find responses to erase: %w", err)
	}
	for _, one := range found {
		_, err := tx.Exec(`
			UPDATE staff_requests
			SET status = NULL, body = NULL
			WHERE actor = ? AND operation = ? AND key = ?`, one.actor, one.operation, one.key)
		if err != nil {
			return fmt.Errorf("erase response: %w", err)
		}
	}
	return nil
}

func deleteRequest(tx *db.Tx, actor Actor, request access.Request) error {
	_, err := tx.Exec(`
		DELETE FROM staff_requests
		WHERE actor = ? AND operation = ? AND key = ? AND nonce = ?`, actorKey(actor), request.Operation, request.Key, request.Nonce)
	if err != nil {
		return fmt.Errorf("delete request: %w", err)
	}
	return nil
}
