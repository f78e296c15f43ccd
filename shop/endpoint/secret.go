package endpoint

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/secret"
)

// rotationTime is the time for which both secrets sign after a rotation.
const rotationTime = 24 * time.Hour

// secretPrefix is the form of a secret in Standard Webhooks.
const secretPrefix = "whsec_"

// NewSecret returns a secret and its form for the receiver.
func NewSecret() (plain []byte, text string) {
	plain = make([]byte, secret.KeyBytes)
	rand.Read(plain)
	return plain, secretPrefix + base64.StdEncoding.EncodeToString(plain)
}

// secretName and oldSecretName are the names of an endpoint's secrets.
func secretName(id string) string    { return "webhook." + id }
func oldSecretName(id string) string { return "webhook." + id + ".old" }

// RotateEndpoint replaces the secret of a webhook endpoint and returns the new one, only this time.
// Webhooks have the signatures of both for the next 24 hours. Codes: not_found, unauthenticated,
// forbidden, proof_required.
func (e *Endpoints) RotateEndpoint(
	ctx context.Context, caller access.Caller, id string,
) (rotated *Endpoint, key string, err error) {
	plain, key := NewSecret()
	rotated, err = access.Write(ctx, e.cfg.Data, caller, access.ToRotateEndpoint,
		func(tx *db.Tx, who access.Staff) (*Endpoint, error) {
			found, err := findEndpoint(tx, id)
			if err != nil {
				return nil, err
			}
			switch old, err := e.cfg.Secrets.Find(tx, secretName(id)); {
			case errors.Is(err, db.ErrNotFound): // the shop is a copy
			case err != nil:
				return nil, err
			default:
				if err := e.cfg.Secrets.Save(tx, oldSecretName(id), old); err != nil {
					return nil, err
				}
			}
			if err := e.cfg.Secrets.Save(tx, secretName(id), plain); err != nil {
				return nil, err
			}
			found.RotatedAt = new(tx.Now())
			if err := updateEndpoint(tx, found); err != nil {
				return nil, err
			}
			return found, who.Audit(tx, found.subject(), access.Set("secret", access.Secret))
		})
	if err != nil {
		return nil, "", err
	}
	return rotated, key, nil
}

// secrets returns the secrets that sign the webhooks of an endpoint, the newest first. Codes:
// state_conflict (it has none: the shop is a copy).
func (e *Endpoints) secrets(tx *db.Tx, of *Endpoint) ([][]byte, error) {
	newest, err := e.cfg.Secrets.Find(tx, secretName(of.ID))
	if errors.Is(err, db.ErrNotFound) {
		return nil, fault.Errorf(
			fault.CodeStateConflict,
			"The webhook endpoint has no secret, because the shop is a copy: replace the secret first.",
		)
	}
	if err != nil {
		return nil, err
	}
	keys := [][]byte{newest}
	if of.RotatedAt != nil && tx.Now().Before(of.RotatedAt.Add(rotationTime)) {
		old, err := e.cfg.Secrets.Find(tx, oldSecretName(of.ID))
		if errors.Is(err, db.ErrNotFound) { // there was none to replace
			return keys, nil
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, old)
	}
	return keys, nil
}
