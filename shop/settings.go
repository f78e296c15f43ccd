package shop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// Settings are the shop's settings. Each field is one row of the table settings, under its JSON name; the
// zero value of a field is its default.
type Settings struct {
	Name            string           `json:"name"`
	Currency        string           `json:"currency"`        // ISO 4217; fixed once the shop has products or orders
	Country         string           `json:"country"`         // ISO 3166, two letters; also the region of local phone numbers
	Locale          string           `json:"locale"`          // BCP 47
	LogoURL         string           `json:"logoUrl"`         // "" means none
	StorefrontURL   string           `json:"storefrontUrl"`   // where buyers return from a gateway; "" means a plain page of the server
	Origins         []string         `json:"origins"`         // web origins that may send requests from browsers; empty means any
	Domains         []string         `json:"domains"`         // host names at which the server serves the shop by TLS; unique among shops
	DeliveryCharges []DeliveryOption `json:"deliveryCharges"` // empty means that delivery is free
	SupportContact  SupportContact   `json:"supportContact"`
	LegalPolicies   []LegalPolicy    `json:"legalPolicies"`
	SocialLinks     []SocialLink     `json:"socialLinks"`
	ActiveMode      Mode             `json:"activeMode"`   // "" means live
	AutoConfirm     bool             `json:"autoConfirm"`  // confirm cash orders when they are placed
	CashRounding    int64            `json:"cashRounding"` // unit of cash totals, in minor units; 0: 100 for BDT, INR, PKR, LKR and NPR, otherwise 1
	Suspended       bool             `json:"suspended"`    // closed for buyers; webhooks of providers are still processed
	Limits          account.Limits   `json:"limits"`       // of failed sign-ins and of text messages

	// ProofOfWork lists what clients must solve a challenge for, when the shop is attacked; empty means
	// nothing.
	ProofOfWork []account.WorkPurpose `json:"proofOfWork"`

	// Limits of orders; see order_limit.go.
	UnitsPerLine        int64 `json:"unitsPerLine"`        // of one variant in an order; 0: 100
	UnitsPerOrder       int64 `json:"unitsPerOrder"`       // of all variants in an order; 0: 1000
	OpenOrdersPerPhone  int64 `json:"openOrdersPerPhone"`  // a guest's unconfirmed cash orders with one phone; 0: 5
	OpenOrdersPerClient int64 `json:"openOrdersPerClient"` // unconfirmed cash orders of unproven buyers from one client address; 0: 20
	CODProofAbove       int64 `json:"codProofAbove"`       // total of a cash order, in minor units, above which its phone must be verified; 0: none
	CODExpiryHours      int64 `json:"codExpiryHours"`      // hours until a guest's unconfirmed cash order expires; 0: 72
}

// Mode selects which environment of its providers a shop uses.
type Mode string

// The modes.
const (
	Live    Mode = "live"
	Sandbox Mode = "sandbox"
)

// DeliveryOption is one delivery option, as the merchant sets it. Amounts are in minor units.
type DeliveryOption struct {
	ID       string   `json:"_id"` // derived from the name if left out; orders refer to it
	Name     string   `json:"name"`
	Charge   int64    `json:"charge"`
	FreeOver *int64   `json:"freeOver"` // subtotal from which it is free; null means never
	Areas    []string `json:"areas"`    // cities or areas, compared ignoring case and spelling; empty means anywhere
	// Countries are ISO 3166 codes; empty means the shop's country.
	Countries []string `json:"countries,omitempty"`
	Estimate  *string  `json:"estimate"`
}

// DeliveryCharge is one delivery option that a buyer can choose.
type DeliveryCharge struct {
	ID        string       `json:"_id" doc:"Send it as deliveryChargeId"`
	Name      string       `json:"name"`
	Charge    money.Money  `json:"charge"`
	FreeOver  *money.Money `json:"freeOver" doc:"Free from this subtotal (after discount)"`
	Areas     []string     `json:"areas" nullable:"false" doc:"Cities or areas where it is available; empty means anywhere"`
	Countries []string     `json:"countries" nullable:"false" doc:"Countries where it is available, as ISO 3166 codes; empty means the shop's country"`
	Estimate  *string      `json:"estimate" doc:"Delivery time, as text for buyers"`
}

// SupportContact is how buyers reach the shop.
type SupportContact struct {
	Phone    *string `json:"phone"`
	Email    *string `json:"email"`
	WhatsApp *string `json:"whatsapp"`
	Address  *string `json:"address"`
}

// LegalPolicy is a text that the shop must show.
type LegalPolicy struct {
	Slug     string `json:"slug"`
	Title    string `json:"title"`
	BodyHTML string `json:"bodyHtml" doc:"Sanitized HTML"`
}

// SocialLink is a page of the shop on a social network.
type SocialLink struct {
	Platform string `json:"platform"`
	URL      string `json:"url"`
}

// StoreFront is the public configuration of the shop for a storefront.
type StoreFront struct {
	UID             string           `json:"uid"`
	Name            string           `json:"name"`
	Currency        string           `json:"currency" doc:"ISO 4217"`
	Country         string           `json:"country" doc:"ISO 3166, two letters"`
	Locale          string           `json:"locale" doc:"BCP 47"`
	LogoURL         *string          `json:"logoUrl"`
	DeliveryCharges []DeliveryCharge `json:"deliveryCharges" nullable:"false"`
	SupportContact  SupportContact   `json:"supportContact"`
	LegalPolicies   []LegalPolicy    `json:"legalPolicies" nullable:"false"`
	SocialLinks     []SocialLink     `json:"socialLinks" nullable:"false"`
	PaymentMethods  []PaymentMethod  `json:"paymentMethods" nullable:"false" doc:"Payment methods available for an order"`
}

// cachedSettings are settings with the state of the file from which they were read.
type cachedSettings struct {
	key settingsKey
	Settings
	money money.Currency
	areas []areaKeys // of the delivery charges
}

// settingsKey changes whenever settings or keys may have changed: by this process, which counts its changes
// in revision, or by another process, whose commits of any kind count. Orders of this process do not change
// it.
type settingsKey struct{ foreign, revision uint64 }

func (s *Shop) settingsKey(ctx context.Context) (settingsKey, error) {
	foreign, err := s.store.ExternalVersion(ctx, s.id)
	return settingsKey{foreign, s.revision.Load()}, err
}

// Settings returns the shop's settings. The result must not be modified.
func (s *Shop) Settings(ctx context.Context) (*Settings, error) {
	c, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return &c.Settings, nil
}

func (s *Shop) accountSettings(ctx context.Context) (account.Settings, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return account.Settings{}, err
	}
	return account.Settings{Name: set.Name, Country: set.Country, Limits: set.Limits, Work: set.ProofOfWork}, nil
}

func (s *Shop) loadSettings(ctx context.Context) (*cachedSettings, error) {
	key, err := s.settingsKey(ctx)
	if err != nil {
		return nil, err
	}
	if c := s.settings.Load(); c != nil && c.key == key {
		return c, nil
	}
	c := &cachedSettings{key: key}
	err = s.view(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		c.Settings, err = findSettings(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	var ok bool
	if c.money, ok = money.ParseCurrency(c.Currency); !ok {
		return nil, fmt.Errorf("settings of %s: unknown currency %q", s.id, c.Currency)
	}
	c.areas = newAreaKeys(&c.Settings)
	s.settings.Store(c)
	return c, nil
}

// SetSettings changes the settings in changes, which are in their JSON form; null restores the default.
// Codes: validation_failed (an unknown name or an invalid value; Fields lists them).
func (s *Shop) SetSettings(ctx context.Context, caller access.Caller, changes map[string]json.RawMessage) error {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return err
	}
	err := s.update(ctx, func(ctx context.Context, tx *db.Tx) error {
		settings, err := findSettings(tx)
		if err != nil {
			return err
		}
		before := settings.Currency
		if err := settings.apply(changes); err != nil {
			return err
		}
		if settings.Currency != before {
			if err := checkCurrencyChange(tx, before); err != nil {
				return err
			}
		}
		return saveSettings(tx, settings)
	})
	if err == nil {
		s.revision.Add(1)
	}
	return err
}

// checkCurrencyChange refuses another currency once the shop has products or orders, whose stored amounts
// would change their meaning.
func checkCurrencyChange(tx *db.Tx, before string) error {
	var used bool
	err := tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM products) OR EXISTS (SELECT 1 FROM orders)`).Scan(&used)
	if err != nil {
		return fmt.Errorf("find amounts: %w", err)
	}
	if used {
		var bad fault.Invalid
		bad.Add("currency", fault.CodeInvalidValue,
			"The currency cannot be changed because the shop has amounts in %s. Create a new shop for another currency.", before)
		return bad.Err()
	}
	return nil
}

// apply changes settings and checks them.
func (set *Settings) apply(changes map[string]json.RawMessage) error {
	var bad fault.Invalid
	all := settingNames()
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if _, ok := all[name]; !ok {
			bad.Add(name, fault.CodeUnknownField, "There is no setting %s. The settings are: %s.",
				name, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
			continue
		}
		if err := set.applyOne(name, changes[name]); err != nil {
			bad.Add(name, fault.CodeInvalidValue, "Invalid value for %s: %v.", name, err)
		}
	}
	set.normalize()
	set.check(&bad)
	return bad.Err()
}

// applyOne replaces one setting as a whole.
func (set *Settings) applyOne(name string, value json.RawMessage) error {
	rows := toRows(*set)
	delete(rows, name)
	var next Settings
	if err := fromRows(rows, &next); err != nil {
		return err
	}
	if string(value) != "null" {
		one, err := json.Marshal(map[string]json.RawMessage{name: value})
		if err != nil {
			return errors.New("not JSON")
		}
		dec := json.NewDecoder(bytes.NewReader(one))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&next); err != nil {
			if typed, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
				return fmt.Errorf("%s cannot be a %s", typed.Field, typed.Value)
			}
			return err
		}
	}
	*set = next
	return nil
}

// normalize converts the settings as sent to the form that is saved: sanitized, with IDs and without nil
// lists.
func (set *Settings) normalize() {
	for i := range set.DeliveryCharges {
		d := &set.DeliveryCharges[i]
		d.Name = strings.TrimSpace(d.Name)
		if d.ID == "" {
			d.ID = input.Slug(d.Name)
		}
		if d.Areas == nil {
			d.Areas = []string{}
		}
		for i, country := range d.Countries {
			d.Countries[i] = strings.ToUpper(strings.TrimSpace(country))
		}
	}
	for i := range set.LegalPolicies {
		set.LegalPolicies[i].BodyHTML = input.SanitizeHTML(set.LegalPolicies[i].BodyHTML)
	}
	for i, origin := range set.Origins {
		set.Origins[i] = strings.TrimSuffix(strings.ToLower(origin), "/")
	}
	set.normalizeDomains()
	set.Country = strings.ToUpper(set.Country)
	set.Currency = strings.ToUpper(set.Currency)
	if set.ActiveMode == "" {
		set.ActiveMode = Live
	}
}

// maxCashRounding limits the setting cashRounding: the largest banknotes of some currencies.
const maxCashRounding = 1_000_000

var localePattern = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

func (set *Settings) check(bad *fault.Invalid) {
	if strings.TrimSpace(set.Name) == "" || len(set.Name) > 200 {
		bad.Add("name", fault.CodeInvalidValue, "The name must be 1 to 200 characters.")
	}
	if _, ok := money.ParseCurrency(set.Currency); !ok {
		bad.Add("currency", fault.CodeInvalidValue, "Must be an ISO 4217 currency code such as BDT.")
	}
	if !input.IsCountry(set.Country) {
		bad.Add("country", fault.CodeInvalidValue, "Must be an ISO 3166 country code of two letters such as BD.")
	}
	if set.Locale != "" && !localePattern.MatchString(set.Locale) {
		bad.Add("locale", fault.CodeInvalidValue, "Must be a language tag such as en-BD.")
	}
	if set.ActiveMode != Live && set.ActiveMode != Sandbox {
		bad.Add("activeMode", fault.CodeInvalidValue, "Must be live or sandbox.")
	}
	if set.LogoURL != "" && !input.IsWebURL(set.LogoURL) && !strings.HasPrefix(set.LogoURL, "/") {
		bad.Add("logoUrl", fault.CodeInvalidValue, "Must be an http or https URL, or a path of this server that begins with /.")
	}
	if set.StorefrontURL != "" && !input.IsWebURL(set.StorefrontURL) {
		bad.Add("storefrontUrl", fault.CodeInvalidValue, "Must be an http or https URL.")
	}
	for i, origin := range set.Origins {
		if u, err := url.Parse(origin); err != nil || !input.IsWebURL(origin) || u.Path != "" || u.RawQuery != "" {
			bad.Add(fmt.Sprintf("origins[%d]", i), fault.CodeInvalidValue, "Must be a scheme and a host, such as https://shop.example.")
		}
	}
	if set.CashRounding < 0 || set.CashRounding > maxCashRounding {
		bad.Add("cashRounding", fault.CodeInvalidValue,
			"Must be an amount in minor units, 1 to %d, or 0 for the default of the currency.", maxCashRounding)
	}
	set.checkOrderLimits(bad)
	set.checkDomains(bad)
	set.Limits.Check(bad)
	for i, purpose := range set.ProofOfWork {
		if !slices.Contains(account.WorkPurposes(), purpose) {
			bad.Add(fmt.Sprintf("proofOfWork[%d]", i), fault.CodeInvalidValue, "Must be otp or orders.")
		}
	}
	seen := map[string]bool{}
	for i, d := range set.DeliveryCharges {
		at := fmt.Sprintf("deliveryCharges[%d]", i)
		if d.Name == "" {
			bad.Add(at+".name", fault.CodeRequired, "A delivery charge must have a name.")
		}
		if !money.IsAmount(d.Charge) || d.FreeOver != nil && !money.IsAmount(*d.FreeOver) {
			bad.Add(at+".charge", fault.CodeInvalidValue, "Amounts must be 0 or more, in minor units, and at most the largest amount of an order.")
		}
		if d.ID == "" || seen[d.ID] {
			bad.Add(at+"._id", fault.CodeInvalidValue, "The _id of each delivery charge must be unique and not empty.")
		}
		seen[d.ID] = true
		if slices.ContainsFunc(d.Countries, func(code string) bool { return !input.IsCountry(code) }) {
			bad.Add(at+".countries", fault.CodeInvalidValue, "Must be ISO 3166 country codes of two letters such as BD.")
		}
	}
	for i, l := range set.SocialLinks {
		if !input.IsWebURL(l.URL) {
			bad.Add(fmt.Sprintf("socialLinks[%d].url", i), fault.CodeInvalidValue, "Must be an http or https URL.")
		}
	}
}

// StoreFront returns the public configuration of the shop for a storefront.
func (s *Shop) StoreFront(ctx context.Context) (*StoreFront, error) {
	set, err := s.loadCheckoutSettings(ctx)
	if err != nil {
		return nil, err
	}
	front := &StoreFront{
		UID: s.UID(), Name: set.Name, Currency: set.Currency, Country: set.Country, Locale: set.Locale,
		LogoURL: db.NullText(set.LogoURL), DeliveryCharges: set.deliveryCharges(), SupportContact: set.SupportContact,
		LegalPolicies: db.OrEmpty(set.LegalPolicies), SocialLinks: db.OrEmpty(set.SocialLinks),
		PaymentMethods: set.paymentMethods(),
	}
	return front, nil
}

// deliveryCharges returns the delivery options as responses show them.
func (c *cachedSettings) deliveryCharges() []DeliveryCharge {
	charges := make([]DeliveryCharge, len(c.DeliveryCharges))
	for i, d := range c.DeliveryCharges {
		charges[i] = c.deliveryCharge(d)
	}
	return charges
}

func (c *cachedSettings) deliveryCharge(d DeliveryOption) DeliveryCharge {
	charge := DeliveryCharge{ID: d.ID, Name: d.Name, Charge: c.money.Money(d.Charge), Areas: db.OrEmpty(d.Areas),
		Countries: db.OrEmpty(d.Countries), Estimate: d.Estimate}
	if d.FreeOver != nil {
		over := c.money.Money(*d.FreeOver)
		charge.FreeOver = &over
	}
	return charge
}
