package tenants

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/staff"
)

// setupLifetime is the validity period of a server's set-up link.
const setupLifetime = 24 * time.Hour

// maxDerivedUID limits the UID derived from a shop's name, in characters.
const maxDerivedUID = 40

// setupLink is the link to create the first shop of an empty data folder. It exists in the memory
// of the process that serves the folder.
type setupLink struct {
	mu      sync.Mutex // held while the first shop is created, so that there is one
	token   string     // "" if there is none
	expires time.Time
	void    bool // a shop exists, or existed
}

// NewSetupToken returns the token of a new link to create the first shop. It replaces an earlier
// one, and is valid for 24 hours or until a shop exists. It is "" if there is a shop, or may be one
// in a database that cannot be used.
func (t *Tenants) NewSetupToken(ctx context.Context) (token string, err error) {
	t.setup.mu.Lock()
	defer t.setup.mu.Unlock()
	empty, err := t.isEmpty(ctx)
	if err != nil && t.engines != nil { // the shops in files are served nevertheless
		t.log.Warn("no link to create a shop: the database may have shops", "error", err)
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !empty {
		return "", nil
	}
	t.setup.token, t.setup.expires, t.setup.void = staff.NewToken(), t.now().Add(setupLifetime), false
	return t.setup.token, nil
}

// SetupNeeded reports whether the data folder has no shop and a valid set-up link.
func (t *Tenants) SetupNeeded(ctx context.Context) (bool, error) {
	t.setup.mu.Lock()
	defer t.setup.mu.Unlock()
	if t.setup.token == "" || !t.now().Before(t.setup.expires) {
		return false, nil
	}
	if err := t.checkSetup(ctx); err != nil {
		if fault.HasCode(err, fault.CodeShopExists) {
			return false, nil
		}
		return false, err
	}
	return true, nil
}

// checkSetup checks that no shop exists or has existed since the link was created. t.setup.mu is
// held. Codes: shop_exists.
func (t *Tenants) checkSetup(ctx context.Context) error {
	empty, err := t.isEmpty(ctx)
	if err != nil {
		return err
	}
	t.setup.void = t.setup.void || !empty
	if t.setup.void {
		return errShopExists()
	}
	return nil
}

func (t *Tenants) isEmpty(ctx context.Context) (bool, error) {
	ids, err := t.FileUIDs(ctx)
	if err == nil && len(ids) == 0 && t.engines != nil {
		ids, err = t.UIDs(ctx)
	}
	return err == nil && len(ids) == 0, err
}

// SetupInput is the input of [Tenants.SetUp].
type SetupInput struct {
	Token string           `json:"token"`
	Shop  SetupShop        `json:"shop"`
	Owner staff.FirstOwner `json:"owner"`
}

// SetupShop is the first shop of a data folder.
type SetupShop struct {
	Name     string         `json:"name"`
	UID      string         `json:"uid,omitempty" doc:"Derived from the name if left out"`
	Currency string         `json:"currency" doc:"ISO 4217"`
	Country  string         `json:"country" doc:"ISO 3166, two letters"`
	Language staff.Language `json:"language,omitempty" doc:"Of the shop and its owner; en if left out"`
}

// SetUp creates the first shop with its owner, who is signed in, given the token of the set-up
// link, and makes the link invalid. Codes: link_invalid, shop_exists, validation_failed,
// password_rejected, rate_limited.
func (t *Tenants) SetUp(ctx context.Context, caller access.Caller, in SetupInput) (*shop.Shop, *staff.SignedIn, error) {
	t.setup.mu.Lock()
	defer t.setup.mu.Unlock()
	isToken := t.setup.token != "" && subtle.ConstantTimeCompare([]byte(in.Token), []byte(t.setup.token)) == 1
	if !isToken || !t.now().Before(t.setup.expires) {
		return nil, nil, fault.Errorf(fault.CodeLinkInvalid, "This link is invalid or expired. Restart the server to get a new one.")
	}
	if err := t.checkSetup(ctx); err != nil {
		return nil, nil, err
	}
	language := cmp.Or(in.Shop.Language, staff.English)
	id, err := parseUID(cmp.Or(strings.TrimSpace(in.Shop.UID), uidFor(in.Shop.Name)))
	if err != nil {
		return nil, nil, err
	}
	settings := map[string]json.RawMessage{}
	for name, value := range map[string]string{
		"name": in.Shop.Name, "currency": in.Shop.Currency, "country": in.Shop.Country,
		"locale": string(language) + "-" + strings.ToUpper(in.Shop.Country),
	} {
		if settings[name], err = json.Marshal(value); err != nil {
			return nil, nil, fmt.Errorf("setting %s: %w", name, err)
		}
	}
	owner := in.Owner
	owner.Language = cmp.Or(owner.Language, language)
	created, session, err := shop.CreateWithOwner(ctx, caller, t.config(id), settings, owner)
	if errors.Is(err, db.ErrExists) {
		return nil, nil, errShopExists()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("create shop %s: %w", id, inSetup(err))
	}
	t.setup.void = true
	t.domains.addCreated(id, created)
	return t.shops.put(id), session, nil
}

// inSetup renames the settings among the fields of an error to the names in [SetupInput].
func inSetup(err error) error {
	if known, ok := errors.AsType[*fault.Error](err); ok {
		for i, f := range known.Fields {
			switch {
			case f.Field == "locale":
				known.Fields[i].Field = "shop.language"
			case !strings.HasPrefix(f.Field, "owner."):
				known.Fields[i].Field = "shop." + f.Field
			}
		}
	}
	return err
}

func errShopExists() error {
	return fault.Errorf(fault.CodeShopExists, "The data folder already has a shop: its owner can invite you.")
}

// uidFor returns a UID for a shop with this name.
func uidFor(name string) string {
	uid := strings.Trim(input.Cut(input.Slug(name), maxDerivedUID), "-")
	if id := db.ID(uid); !id.IsValid() || id == Installation {
		return "shop"
	}
	return uid
}
