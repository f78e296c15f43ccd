package tenants

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/tenants/album"
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

// CreateNew creates a shop for the operator, with its owner and from a template, completely or not
// at all. It rejects the domains of the server and of other shops as [Tenants.SetSettings] does.
// Errors: db.ErrExists, if the UID is in use. Codes: validation_failed.
func (t *Tenants) CreateNew(
	ctx context.Context, caller access.Caller, uid string, in shop.NewShop,
) (*shop.CreatedShop, error) {
	id, err := parseUID(uid)
	if err != nil {
		return nil, err
	}
	var created *shop.CreatedShop
	err = t.withDomains(ctx, caller, uid, in.Settings, func() (err error) {
		if created, err = shop.CreateNew(ctx, caller, t.config(id), in); err != nil {
			return fmt.Errorf("create shop %s: %w", id, err)
		}
		t.domains.addCreated(id, created.Settings)
		t.shops.put(id)
		return nil
	})
	return created, err
}

// CheckNew returns the error with which [Tenants.CreateNew] would reject a shop, and creates
// nothing. It returns the settings of the shop. Errors: db.ErrExists. Codes: validation_failed.
func (t *Tenants) CheckNew(
	ctx context.Context, caller access.Caller, uid string, in shop.NewShop,
) (*shop.Settings, error) {
	id, err := parseUID(uid)
	if err != nil {
		return nil, err
	}
	exists, err := t.store.Exists(ctx, id)
	switch {
	case err != nil:
		return nil, fmt.Errorf("find shop %s: %w", id, err)
	case exists:
		return nil, fmt.Errorf("shop %s: %w", id, db.ErrExists)
	}
	settings, err := shop.CheckNew(ctx, caller, t.config(id), in)
	if err != nil {
		return nil, err
	}
	if wanted, ok := in.Settings["domains"]; ok {
		_, err = t.claimDomains(caller, uid, wanted)
	}
	return settings, err
}

// ReadTemplate reads a shop as the template of new ones: its settings, texts and design, and with
// its catalogue. Codes: tenant_not_found.
func (t *Tenants) ReadTemplate(
	ctx context.Context, uid string, withCatalogue bool,
) (template *shop.Template, err error) {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return nil, err
	}
	var export bytes.Buffer
	rows := func() (io.Reader, error) { return gzip.NewReader(bytes.NewReader(export.Bytes())) }
	images := func(ctx context.Context, tx *db.Tx, to db.ID) error { return t.copyTemplateImages(ctx, tx, id, to) }
	err = t.store.ViewMany(ctx, id, func(_ context.Context, tx *db.Tx) (err error) {
		if template, err = shop.FindTemplate(tx, rows, images); err != nil {
			return err
		}
		export.Reset()
		packed := gzip.NewWriter(&export)
		if err := t.store.ExportTables(tx, id, packed, shop.TemplateTables(withCatalogue)); err != nil {
			return err
		}
		return packed.Close()
	})
	if err != nil {
		return nil, fmt.Errorf("read template %s: %w", id, err)
	}
	return template, nil
}

// copyTemplateImages copies the images that the shop tx writes refers to from another shop. A
// missing one is an error: a new shop is complete.
func (t *Tenants) copyTemplateImages(ctx context.Context, tx *db.Tx, from, to db.ID) error {
	images, err := catalogue.StoredImages(tx)
	if err != nil {
		return fmt.Errorf("list images: %w", err)
	}
	_, missing, err := album.Copy(ctx, images, t.album(to), t.album(from))
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("images of the template are missing: %d, such as %s", len(missing), missing[0])
	}
	if err != nil {
		return fmt.Errorf("copy images: %w", err)
	}
	return nil
}

// parseUID parses the UID of a new shop. Codes: validation_failed.
func parseUID(uid string) (db.ID, error) {
	id, err := db.ParseID(uid)
	if err != nil || id == Installation {
		rule := "The UID must be 3 to 40 lower-case letters, digits and hyphens, " +
			"and start and end with a letter or digit."
		if err == nil {
			rule = "This UID is reserved for the server's own data: choose another one."
		}
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
