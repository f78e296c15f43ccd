package tenants

import (
	"context"
	"encoding/json"
	"fmt"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/fault"
)

// Create creates a shop with the given settings in their JSON form. Errors: db.ErrExists, if the
// UID is in use. Codes: validation_failed.
func (t *Tenants) Create(
	ctx context.Context, uid string, settings map[string]json.RawMessage,
) (*shop.Shop, error) {
	id, err := parseUID(uid)
	if err != nil {
		return nil, err
	}
	created, err := shop.Create(ctx, t.config(id), settings)
	if err != nil {
		return nil, fmt.Errorf("create shop %s: %w", id, err)
	}
	t.domains.addCreated(id, created)
	return t.shops.put(id), nil
}

// CheckNew returns the error with which [Tenants.Create] would reject a shop, and creates nothing.
// Errors: db.ErrExists. Codes: validation_failed.
func (t *Tenants) CheckNew(
	ctx context.Context, uid string, settings map[string]json.RawMessage,
) error {
	id, err := parseUID(uid)
	if err != nil {
		return err
	}
	exists, err := t.store.Exists(ctx, id)
	switch {
	case err != nil:
		return fmt.Errorf("find shop %s: %w", id, err)
	case exists:
		return fmt.Errorf("shop %s: %w", id, db.ErrExists)
	}
	return shop.CheckSettings(settings)
}

// parseUID parses the UID of a new shop. Codes: validation_failed.
func parseUID(uid string) (db.ID, error) {
	id, err := db.ParseID(uid)
	if err != nil {
		const rule = "The UID must be 3 to 40 lower-case letters, digits and hyphens, " +
			"and start and end with a letter or digit."
		return "", &fault.Error{
			Code:    fault.CodeValidationFailed,
			Message: rule,
			Fields: []fault.FieldError{
				{Field: "uid", Code: fault.CodeInvalidValue, Message: rule},
			},
		}
	}
	return id, nil
}
