package shop

import (
	"context"
	"encoding/json"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/staff"
)

// Create creates the shop's file with keys of its own and with the given settings, atomically, and
// returns all settings. The error is db.ErrExists if the shop exists. Codes: validation_failed.
func Create(ctx context.Context, cfg Config, changes map[string]json.RawMessage) (*Settings, error) {
	return create(ctx, cfg, nil, changes, func(*Shop, *Settings) (func(tx *db.Tx) error, error) {
		return func(*db.Tx) error { return nil }, nil
	})
}

// NewShop is the input of [CreateNew].
type NewShop struct {
	// Settings are in their JSON form. They replace the template's.
	Settings map[string]json.RawMessage
	// Owner is invited as the shop's owner; nil means nobody.
	Owner *staff.InviteInput
	// Template provides settings and content; nil means none.
	Template *Template
}

// CreatedShop is the result of [CreateNew].
type CreatedShop struct {
	Settings *Settings
	Owner    *staff.Member // nil if nobody was invited
	Link     *staff.Link   // with which the owner signs in
}

// CheckNew returns the error with which [CreateNew] would reject a shop because of its input, and
// creates nothing. Codes: validation_failed.
func CheckNew(ctx context.Context, caller access.Caller, cfg Config, in NewShop) (*Settings, error) {
	settings, err := in.Template.settingsWith(in.Settings)
	if err == nil && in.Owner != nil {
		_, err = New(cfg).Staff.PrepareInvite(ctx, caller, *in.Owner, settings.forStaff())
	}
	return settings, err
}

// CreateNew is [Create] for the operator, who has confirmed the shop's domains. Codes:
// validation_failed.
func CreateNew(ctx context.Context, caller access.Caller, cfg Config, in NewShop) (*CreatedShop, error) {
	var created CreatedShop
	settings, err := create(ctx, cfg, in.Template, in.Settings, func(s *Shop, set *Settings) (func(tx *db.Tx) error, error) {
		set.ConfirmedDomains = set.Domains
		if in.Owner == nil {
			return func(*db.Tx) error { return nil }, nil
		}
		invite, err := s.Staff.PrepareInvite(ctx, caller, *in.Owner, set.forStaff())
		return func(tx *db.Tx) (err error) {
			created.Owner, created.Link, err = invite(tx)
			return err
		}, err
	})
	created.Settings = settings
	return &created, err
}

// CreateWithOwner is [Create] with the shop's first owner, who is signed in. Codes:
// validation_failed, password_rejected, rate_limited.
func CreateWithOwner(
	ctx context.Context, caller access.Caller, cfg Config, changes map[string]json.RawMessage, owner staff.FirstOwner,
) (settings *Settings, session *staff.SignedIn, err error) {
	settings, err = create(ctx, cfg, nil, changes, func(s *Shop, set *Settings) (func(tx *db.Tx) error, error) {
		createOwner, err := s.Staff.PrepareOwner(ctx, caller, owner, set.forStaff())
		return func(tx *db.Tx) (err error) {
			session, err = createOwner(tx)
			return err
		}, err
	})
	if err != nil {
		return nil, nil, err
	}
	return settings, session, nil
}

// create creates a shop, from a template unless it is nil. prepare returns a function for the same
// transaction.
func create(
	ctx context.Context, cfg Config, from *Template, changes map[string]json.RawMessage,
	prepare func(*Shop, *Settings) (func(tx *db.Tx) error, error),
) (*Settings, error) {
	s := New(cfg)
	settings, err := from.settingsWith(changes)
	if err != nil {
		return nil, err
	}
	if settings.Defaults, err = s.installationDefaults(ctx); err != nil {
		return nil, err
	}
	also, err := prepare(s, settings)
	if err != nil {
		return nil, err
	}
	write := func(_ context.Context, tx *db.Tx) error {
		if err := useLogo(tx, settings); err != nil {
			return err
		}
		if err := saveSettings(tx, *settings); err != nil {
			return err
		}
		if err := s.secrets.GenerateKeys(tx); err != nil {
			return err
		}
		if err := catalogue.RenewCursors(tx); err != nil {
			return err
		}
		return also(tx)
	}
	if from == nil {
		err = s.data.Store.Create(ctx, s.data.ID, write)
	} else {
		err = from.create(ctx, s, write)
	}
	if err != nil {
		return nil, err
	}
	return settings, nil
}
