package staff

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// requestTTL is the time for which the response to a request with an idempotency key is returned
// again.
const requestTTL = 24 * time.Hour

// maxRequests limits the stored requests of one actor. The oldest ones are deleted earlier.
const maxRequests = 5_000

// Response is the stored response to a request with an idempotency key.
type Response struct {
	Status int
	ETag   string // "" means none
	Body   []byte
	// Lost has the change of a request if the response was lost with the process, instead of the
	// other fields; nil otherwise.
	Lost *Lost
}

// Lost is the change of a request that lost its response.
type Lost struct {
	On    access.Subject // without its label; the zero value is unknown, as after an erasure
	Nonce string         // of the attempt that made the change, for [Staff.SaveResponse]
}

// requestRow is a row of staff_requests.
type requestRow struct {
	fingerprint []byte
	nonce       string
	status      *int64 // nil if the response is not stored
	body        []byte
	etag        string
}

// actorKey returns the actor in the scope of idempotency keys.
func actorKey(a Actor) string { return string(a.Kind) + ":" + a.ID }

// claimRequest makes the caller's request the only effective one with its idempotency key. It runs
// in the transaction of the effect, so that only one of two concurrent requests has an effect.
// The subject of the effect is stored with it, to be read if the response is lost.
func (who *identity) claimRequest(tx *db.Tx, on access.Subject) error {
	request := who.caller.Request
	if request.Key == "" {
		return nil
	}
	row, err := findRequest(tx, who.actor, request)
	switch {
	case isNotFound(err):
		subject, err := json.Marshal(access.Subject{Kind: on.Kind, ID: on.ID})
		if err != nil {
			return fmt.Errorf("encode subject of request: %w", err)
		}
		return insertRequest(tx, who.actor, request, subject)
	case err == nil && row.nonce != request.Nonce:
		err = ErrResponseLost()
	}
	return err
}

// lost returns the response to a request that was stored without one.
func (r *requestRow) lost() (*Response, error) {
	lost := &Lost{Nonce: r.nonce}
	if r.body != nil {
		if err := json.Unmarshal(r.body, &lost.On); err != nil {
			return nil, fmt.Errorf("decode subject of request: %w", err)
		}
	}
	return &Response{Lost: lost}, nil
}

// ErrResponseLost returns the failure of a request that has had its effect, if its response cannot
// be returned. Codes: state_conflict.
func ErrResponseLost() error {
	return fault.Errorf(fault.CodeStateConflict,
		"An earlier request with this idempotency key has started, and its response was not saved. Check its effect before you use a new key.")
}

// FindResponse returns the response to an earlier request with the caller's idempotency key, nil if
// there was none that succeeded. secret is as in [Staff.SaveResponse]. Codes:
// idempotency_key_reused, and as for [Staff.Authorize].
func (s *Staff) FindResponse(ctx context.Context, caller access.Caller, use access.UseCase, secret bool) (*Response, error) {
	return access.Read(ctx, s.data, caller, use, func(tx *db.Tx, who access.Staff) (*Response, error) {
		row, err := findRequest(tx, who.Actor(), caller.Request)
		switch {
		case isNotFound(err):
			return nil, nil
		case err != nil:
			return nil, err
		case string(row.fingerprint) != caller.Request.Fingerprint:
			return nil, fault.Errorf(fault.CodeIdempotencyKeyReused, "This idempotency key was already used for another request: use a new key.")
		case row.status == nil:
			return row.lost()
		}
		found := &Response{Status: int(*row.status), ETag: row.etag, Body: row.body}
		if secret {
			if found.Body, err = s.cfg.Secrets.Open(responseSecret, found.Body); err != nil {
				return nil, err
			}
		}
		if !who.Permits(access.CostsRead) {
			found.Body, err = withoutCosts(found.Body)
		}
		return found, err
	})
}

// costFields are the fields of responses that are null without costs.read.
var costFields = []string{"cost", "margin"}

// withoutCosts returns the JSON of a response with null for the shop's costs: the caller may have
// lost the permission since the response was stored.
func withoutCosts(body []byte) ([]byte, error) {
	if !slices.ContainsFunc(costFields, func(field string) bool { return bytes.Contains(body, []byte(`"`+field+`"`)) }) {
		return body, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("parse stored response: %w", err)
	}
	hideFields(tree)
	return json.Marshal(tree)
}

func hideFields(tree any) {
	switch tree := tree.(type) {
	case map[string]any:
		for name, value := range tree {
			if slices.Contains(costFields, name) {
				tree[name] = nil
				continue
			}
			hideFields(value)
		}
	case []any:
		for _, value := range tree {
			hideFields(value)
		}
	}
}

// responseSecret is the name under which responses with secrets are sealed.
const responseSecret = "staff response"

// SaveResponse stores the response to the caller's request, which has succeeded, to be returned to
// the same request again. A response with a secret is sealed.
func (s *Staff) SaveResponse(ctx context.Context, caller access.Caller, use access.UseCase, r Response, secret bool) error {
	return access.Do(ctx, s.data, caller, use, func(tx *db.Tx, who access.Staff) (err error) {
		body := r.Body
		if secret {
			if body, err = s.cfg.Secrets.Seal(responseSecret, body); err != nil {
				return err
			}
		}
		if err := who.(*identity).claimRequest(tx, access.Subject{}); err != nil { // nothing was changed
			return err
		}
		return saveResponse(tx, who.Actor(), caller.Request, Response{Status: r.Status, ETag: r.ETag, Body: body})
	})
}

// ReleaseRequest deletes the caller's request, which has failed, so that it may be sent again. A
// request without changes is not stored. A stored one has an effect: it may be released only by an
// operation that continues an unfinished effect.
func (s *Staff) ReleaseRequest(ctx context.Context, caller access.Caller) error {
	actor, err := s.Identify(ctx, caller)
	if err != nil {
		return err
	}
	var claimed bool
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		row, err := findRequest(tx, actor, caller.Request)
		if isNotFound(err) {
			return nil
		}
		claimed = err == nil && row.nonce == caller.Request.Nonce
		return err
	})
	if err != nil {
		return err
	}
	if !claimed {
		return nil
	}
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return deleteRequest(tx, actor, caller.Request) })
}
