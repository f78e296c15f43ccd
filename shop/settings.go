package shop

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/cash"
	"storefront/shop/catalogue"
	"storefront/shop/district"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/locale"
	"storefront/shop/message"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
	"storefront/shop/sales"
	"storefront/shop/sender"
	"storefront/shop/staff"
	"storefront/shop/status"
	"storefront/shop/timezone"
)

// Settings are the shop's settings. Each field is one row of the table settings, under its JSON
// name; the zero value of a field is its default.
type Settings struct {
	Name          string   `json:"name"`
	Currency      string   `json:"currency" doc:"ISO 4217; fixed once the shop has products or orders"`
	Country       string   `json:"country" doc:"ISO 3166, two letters; also the region of local phone numbers"`
	Locale        string   `json:"locale" doc:"BCP 47"`
	TimeZone      string   `json:"timeZone" doc:"IANA name; defaults to the country's only time zone, or UTC if it has several"`
	LogoURL       string   `json:"logoUrl" doc:"URL of a logo that is not uploaded; see brand.logoId"`
	StorefrontURL string   `json:"storefrontUrl" doc:"Page to which buyers return from a gateway; defaults to a plain page of the server"`
	TrackingURL   string   `json:"trackingUrl" doc:"Page of an order, for messages; defaults to storefrontUrl, or a page of the server"`
	MediaURL      string   `json:"mediaUrl" doc:"Address of a CDN in front of /media of this server; defaults to the server"`
	Origins       []string `json:"origins" nullable:"false" doc:"Web origins that may send requests from browsers; empty means any"`
	Domains       []string `json:"domains" nullable:"false" doc:"Host names at which the server serves the shop by TLS; unique among shops"`

	// ConfirmedDomains are the Domains that the operator has entered.
	ConfirmedDomains []string `json:"confirmedDomains" nullable:"false" doc:"Domains that the operator of the server has entered or confirmed"`

	DeliveryCharges []order.DeliveryOption `json:"deliveryCharges" nullable:"false" doc:"Delivery charges; empty means free delivery"`

	SupportContact SupportContact `json:"supportContact" doc:"Ways for buyers to reach the shop"`
	LegalPolicies  []LegalPolicy  `json:"legalPolicies" nullable:"false" doc:"Texts that the shop must show"`
	SocialLinks    []SocialLink   `json:"socialLinks" nullable:"false" doc:"Pages of the shop on social networks"`
	ActiveMode     plugin.Mode    `json:"activeMode" doc:"Defaults to live"`
	AutoConfirm    bool           `json:"autoConfirm" doc:"Confirm cash orders when they are placed"`
	CashRounding   int64          `json:"cashRounding" doc:"Unit of cash totals, in minor units; 0 means 100 in BDT, INR, PKR, LKR and NPR, else 1"`
	Suspended      bool           `json:"suspended" doc:"Closed to buyers; webhooks of providers are still processed"`
	Suspension     *Suspension    `json:"suspension" doc:"The operator of the server has suspended the shop, and only the operator can open it"`
	Limits         account.Limits `json:"limits" doc:"Limits of failed sign-ins and of text messages; 0 means the default"`

	BuyerMessages message.Settings         `json:"buyerMessages" doc:"Messages to buyers about their orders"`
	Search        catalogue.SearchSettings `json:"search" doc:"Synonyms for the search of products"`
	SetupHidden   bool                     `json:"setupHidden" doc:"Hide the steps of setting up the shop"`

	// See settings_print.go.
	Brand   Brand        `json:"brand" doc:"Name and appearance of the shop"`
	Invoice Invoice      `json:"invoice" doc:"The shop's texts on invoices"`
	Print   PrintOptions `json:"print" doc:"Sizes and language of printed documents"`

	RequireSecondFactor staff.Requirement     `json:"requireSecondFactor" doc:"Who must sign in with a second factor"`
	ProofOfWork         []account.WorkPurpose `json:"proofOfWork" nullable:"false" doc:"Requests that require a solved challenge"`

	// Limits of orders; see [order.Limits].
	UnitsPerLine        int64 `json:"unitsPerLine" doc:"Units of one variant in an order; 0 means 100"`
	UnitsPerOrder       int64 `json:"unitsPerOrder" doc:"Units of all variants in an order; 0 means 1000"`
	OpenOrdersPerPhone  int64 `json:"openOrdersPerPhone" doc:"A guest's unconfirmed cash orders with one phone number; 0 means 5"`
	OpenOrdersPerClient int64 `json:"openOrdersPerClient" doc:"Unconfirmed cash orders of unproven buyers from one client address; 0 means 20"`
	CODProofAbove       int64 `json:"codProofAbove" doc:"Cash total, in minor units, above which the phone must be verified; 0 means none"`
	CODExpiryHours      int64 `json:"codExpiryHours" doc:"Hours until a guest's unconfirmed cash order expires; 0 means 72"`

	CashForBadRecords order.CashPolicy `json:"cashForBadRecords" doc:"Whether buyers with a bad record can pay cash on delivery"`

	OrderTokenDays *int64 `json:"orderTokenDays" doc:"Days of an order token's validity from placing the order; null means 365, and 0 no end"`
}

// SupportContact are the ways for buyers to reach the shop.
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
	UID      string  `json:"uid"`
	Name     string  `json:"name"`
	Currency string  `json:"currency" doc:"ISO 4217"`
	Country  string  `json:"country" doc:"ISO 3166, two letters"`
	Locale   string  `json:"locale" doc:"BCP 47"`
	TimeZone string  `json:"timeZone" doc:"Name in the IANA database, such as Asia/Dhaka"`
	LogoURL  *string `json:"logoUrl"`

	DeliveryCharges []order.DeliveryCharge `json:"deliveryCharges" nullable:"false"`

	SupportContact SupportContact         `json:"supportContact"`
	LegalPolicies  []LegalPolicy          `json:"legalPolicies" nullable:"false"`
	SocialLinks    []SocialLink           `json:"socialLinks" nullable:"false"`
	PaymentMethods []status.PaymentMethod `json:"paymentMethods" nullable:"false" doc:"Payment methods available for an order"`
}

// cachedSettings are settings with the state of the file from which they were read.
type cachedSettings struct {
	key settingsKey
	Settings
	money     money.Currency
	orders    *order.Settings
	logoURL   string // of the logo, uploaded or not; "" means none
	orderPage string // address of the server's page of an order, without its invoice UID
	zone      *time.Location
	synonyms  *catalogue.Synonyms
}

// settingsKey changes whenever settings or keys may have changed. This process counts its changes
// in revision. For another process, every commit counts. Orders of this process do not change it.
type settingsKey struct{ foreign, revision uint64 }

func (s *Shop) settingsKey(ctx context.Context) (settingsKey, error) {
	foreign, err := s.data.Store.ExternalVersion(ctx, s.data.ID)
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
	return account.Settings{
		Name: set.Name, Country: set.Country, Language: set.language(), Limits: set.Limits, Work: set.ProofOfWork,
	}, nil
}

func (s *Shop) ledgerSettings(ctx context.Context) (cash.Settings, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return cash.Settings{}, err
	}
	return cash.Settings{Currency: set.money, Zone: set.zone}, nil
}

func (s *Shop) reportsSettings(ctx context.Context) (sales.Settings, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return sales.Settings{}, err
	}
	return sales.Settings{Currency: set.money, Zone: set.zone, Country: set.Country}, nil
}

func (s *Shop) senderSettings(ctx context.Context) (sender.Settings, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return sender.Settings{}, err
	}
	return sender.Settings{Name: set.Name, Country: set.Country, Language: set.language()}, nil
}

func (s *Shop) staffSettings(ctx context.Context) (staff.Settings, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return staff.Settings{}, err
	}
	return set.forStaff(), nil
}

// orderSettings returns the settings that orders depend on.
func (s *Shop) orderSettings(ctx context.Context) (*order.Settings, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return set.orders, nil
}

// forOrders returns the settings that orders depend on.
func (c *cachedSettings) forOrders(shown order.Display) *order.Settings {
	return order.NewSettings(order.Settings{
		Limits: c.orderLimits(), Display: shown, Country: c.Country, Zone: c.zone, StorefrontURL: c.StorefrontURL,
		DeliveryCharges: c.DeliveryCharges, ActiveMode: c.ActiveMode, AutoConfirm: c.AutoConfirm, CashRounding: c.CashRounding,
		CashForBadRecords: c.CashForBadRecords, BuyerMessages: c.BuyerMessages,
	})
}

func (set *Settings) orderLimits() order.Limits {
	return order.Limits{
		UnitsPerLine: set.UnitsPerLine, UnitsPerOrder: set.UnitsPerOrder, OpenOrdersPerPhone: set.OpenOrdersPerPhone,
		OpenOrdersPerClient: set.OpenOrdersPerClient, CODProofAbove: set.CODProofAbove, CODExpiryHours: set.CODExpiryHours,
		OrderTokenDays: set.OrderTokenDays,
	}
}

// forStaff returns the settings that staff members depend on.
func (set *Settings) forStaff() staff.Settings {
	limits := set.Limits.WithDefaults()
	return staff.Settings{
		Name: set.Name, Country: set.Country, RequireSecondFactor: set.RequireSecondFactor, WrongPasswords: limits.WrongPasswords,
		WrongPasswordsPerMember: limits.WrongPasswordsPerAccount,
	}
}

// TimeZone returns the time zone in which staff members read times and count days.
func (s *Shop) TimeZone(ctx context.Context) (*time.Location, error) {
	c, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return c.zone, nil
}

// timeZone returns the name of the shop's time zone.
func (set *Settings) timeZone() string {
	return cmp.Or(set.TimeZone, timezone.Of(set.Country))
}

// language returns the language of messages to buyers.
func (set *Settings) language() locale.Language { return locale.Of(set.Locale) }

func (s *Shop) loadSettings(ctx context.Context) (*cachedSettings, error) {
	key, err := s.settingsKey(ctx)
	if err != nil {
		return nil, err
	}
	if c := s.settings.Load(); c != nil && c.key == key {
		return c, nil
	}
	c := &cachedSettings{key: key}
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		if c.Settings, err = findSettings(tx); err != nil {
			return err
		}
		if s.adjust != nil {
			s.adjust(&c.Settings)
		}
		c.logoURL, err = findLogoURL(tx, &c.Settings, s.mediaAddressOf(&c.Settings))
		return err
	})
	if err != nil {
		return nil, err
	}
	var ok bool
	if c.money, ok = money.ParseCurrency(c.Currency); !ok {
		return nil, fmt.Errorf("settings of %s: unknown currency %q", s.data.ID, c.Currency)
	}
	c.orderPage = s.Orders.OrderPageURL("")
	if c.zone, err = timezone.Find(c.timeZone()); err != nil {
		return nil, fmt.Errorf("settings of %s: %w", s.data.ID, err)
	}
	c.synonyms = catalogue.NewSynonyms(c.Search)
	c.orders = c.forOrders(order.Display{Currency: c.money, Media: s.mediaAddressOf(&c.Settings)})
	s.settings.Store(c)
	return c, nil
}

// FindSettings returns the shop's settings for staff. Codes: unauthenticated, forbidden.
func (s *Shop) FindSettings(ctx context.Context, caller access.Caller) (*StaffSettings, error) {
	return access.Read(ctx, s.data, caller, access.ToFindSettings,
		func(tx *db.Tx, who access.Staff) (*StaffSettings, error) {
			found, err := findSettings(tx)
			return staffSettingsFor(who, found), err
		})
}

// SetSettings changes the settings in changes. They have their JSON form; null restores the
// default. Some settings require a further permission; see settings_access.go. Codes:
// validation_failed (an unknown name or an invalid value; Fields lists them), unauthenticated,
// forbidden, proof_required.
func (s *Shop) SetSettings(ctx context.Context, caller access.Caller, changes map[string]json.RawMessage) error {
	_, err := s.SetSettingsIf(ctx, caller, changes, nil)
	return err
}

// SetSettingsIf is [Shop.SetSettings] on condition that check accepts the settings before the
// change; nil accepts any. Codes: those of SetSettings, and check's.
func (s *Shop) SetSettingsIf(
	ctx context.Context, caller access.Caller, changes map[string]json.RawMessage, check func(StaffSettings) error,
) (*StaffSettings, error) {
	return s.changeSettings(ctx, caller, access.ToSetSettings, changes, check)
}

// SetMode sets the mode in which the shop uses its providers. Codes: validation_failed.
func (s *Shop) SetMode(ctx context.Context, caller access.Caller, mode plugin.Mode) (*StaffSettings, error) {
	value, err := json.Marshal(mode)
	if err != nil {
		return nil, fmt.Errorf("encode mode: %w", err)
	}
	return s.changeSettings(ctx, caller, access.ToSetMode, map[string]json.RawMessage{"activeMode": value}, nil)
}

func (s *Shop) changeSettings(
	ctx context.Context, caller access.Caller, use access.UseCase, changes map[string]json.RawMessage, check func(StaffSettings) error,
) (*StaffSettings, error) {
	who, err := s.data.Authorize(ctx, caller, use)
	if err != nil {
		return nil, err
	}
	var view *StaffSettings
	err = s.data.UpdateAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		settings, err := findSettings(tx)
		if err != nil {
			return err
		}
		if check != nil {
			if err := check(*staffSettingsFor(who, settings)); err != nil {
				return err
			}
		}
		was, zone, logo := settings, settings.timeZone(), settings.Brand.LogoID
		rows := toRows(settings)
		if err := settings.applyAs(who, changes); err != nil {
			return err
		}
		if settings.Currency != was.Currency {
			if err := checkCurrencyChange(tx, was.Currency); err != nil {
				return err
			}
		}
		if settings.Brand.LogoID != logo {
			if err := useLogo(tx, &settings); err != nil {
				return err
			}
		}
		if settings.timeZone() != zone { // the other days
			if err := sales.DeleteDays(tx); err != nil {
				return err
			}
		}
		view = staffSettingsFor(who, settings)
		changed := changedSettings(rows, toRows(settings))
		if len(changed) == 0 {
			return nil
		}
		if err := requireSettings(tx, who, changed); err != nil {
			return err
		}
		if err := checkLimits(who, was.Limits, settings.Limits); err != nil {
			return err
		}
		if err := saveSettings(tx, settings); err != nil {
			return err
		}
		if err := outbox.Append(tx, outbox.Event{Type: outbox.SettingsChanged, Subject: "settings"}); err != nil {
			return err
		}
		subject := access.Subject{Kind: access.SubjectSettings}
		if use != access.ToSetSettings { // the shop opens, closes or changes its mode
			subject = access.Subject{Kind: access.SubjectShop, Label: settings.Name}
		}
		return who.Audit(tx, subject, withoutConfirmed(changed)...)
	})
	if err != nil {
		return nil, err
	}
	s.revision.Add(1)
	return view, nil
}

// applyAs is apply for changes by a caller, who may not make some of them. Codes: forbidden,
// validation_failed.
func (set *Settings) applyAs(who access.Staff, changes map[string]json.RawMessage) error {
	before := *set
	if err := set.apply(changes); err != nil {
		return err
	}
	if err := set.confirmDomains(who, &before, changes); err != nil {
		return err
	}
	return checkSuspension(who, &before, set, opensShop(changes))
}

// changedSettings returns the differences between settings, for the audit log.
func changedSettings(before, after map[string]json.RawMessage) (changes []access.Change) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if !bytes.Equal(before[name], after[name]) {
			changes = append(changes, access.Change{Field: name, Before: before[name], After: after[name]})
		}
	}
	return changes
}

// checkCurrencyChange refuses another currency once the shop has products or orders: their stored
// amounts would change their meaning.
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
	// a setting that was stored unchecked refuses no change of another
	if _, changed := changes["supportContact"]; changed {
		input.CheckEmail(&bad, "supportContact.email", set.SupportContact.Email)
	}
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

// normalize converts the settings to the form that is saved: sanitized, with IDs and without nil
// lists.
func (set *Settings) normalize() {
	for i := range set.DeliveryCharges {
		d := &set.DeliveryCharges[i]
		d.Name = input.CleanLine(d.Name)
		if d.ID == "" {
			d.ID = input.Slug(d.Name)
		}
		cleanLine(d.Estimate)
		if d.Areas == nil {
			d.Areas = []string{}
		}
		for i := range d.Areas {
			cleanLine(&d.Areas[i])
		}
		for i, country := range d.Countries {
			d.Countries[i] = strings.ToUpper(strings.TrimSpace(country))
		}
	}
	contact := &set.SupportContact
	for _, line := range []*string{contact.Phone, contact.Email, contact.WhatsApp} {
		cleanLine(line)
	}
	if contact.Address != nil {
		contact.Address = new(strings.TrimSpace(input.UnixNewlines(input.Clean(*contact.Address))))
	}
	for i := range set.LegalPolicies {
		set.LegalPolicies[i].BodyHTML = input.SanitizeHTML(set.LegalPolicies[i].BodyHTML)
	}
	for i, origin := range set.Origins {
		set.Origins[i] = strings.TrimSuffix(strings.ToLower(origin), "/")
	}
	set.normalizeDomains()
	set.normalizePrint()
	set.Country = strings.ToUpper(set.Country)
	set.Currency = strings.ToUpper(set.Currency)
	if set.ActiveMode == "" {
		set.ActiveMode = plugin.Live
	}
}

// cleanLine makes a text one line, so that it adds no line where it is shown or sent; nil is none.
func cleanLine(text *string) {
	if text != nil {
		*text = input.CleanLine(*text)
	}
}

// maxCashRounding limits the setting cashRounding: the largest banknotes of some currencies.
const maxCashRounding = 1_000_000

var localePattern = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// check checks the settings by themselves. It adds errors in the order of the fields.
func (set *Settings) check(bad *fault.Invalid) {
	set.checkShop(bad)
	set.checkURLs(bad)
	if set.CashRounding < 0 || set.CashRounding > maxCashRounding {
		bad.Add("cashRounding", fault.CodeInvalidValue,
			"Must be an amount in minor units, 1 to %d, or 0 for the default of the currency.", maxCashRounding)
	}
	set.orderLimits().Check(bad)
	set.checkDomains(bad)
	set.checkPrint(bad)
	set.Limits.Check(bad)
	set.BuyerMessages.Check(bad)
	set.checkChoices(bad)
	set.checkDeliveryCharges(bad)
	for i, l := range set.SocialLinks {
		if !input.IsWebURL(l.URL) {
			bad.Add(fmt.Sprintf("socialLinks[%d].url", i), fault.CodeInvalidValue, "Must be an http or https URL.")
		}
	}
}

// maxLine limits the characters of a setting of one line, such as the name of the shop.
const maxLine = 200

// checkShop checks the shop's name, its place and its mode.
func (set *Settings) checkShop(bad *fault.Invalid) {
	set.Name = input.CheckLine(bad, "name", set.Name, maxLine)
	if set.Suspension != nil {
		set.Suspension.check(bad)
	}
	if input.IsBlank(&set.Name) {
		bad.Add("name", fault.CodeInvalidValue, "The name must be 1 to %d characters.", maxLine)
	}
	for i := range set.LegalPolicies {
		p := &set.LegalPolicies[i]
		p.Title = input.CheckLine(bad, fmt.Sprintf("legalPolicies[%d].title", i), p.Title, maxLine)
	}
	for i := range set.SocialLinks {
		l := &set.SocialLinks[i]
		l.Platform = input.CheckLine(bad, fmt.Sprintf("socialLinks[%d].platform", i), l.Platform, maxLine)
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
	if _, err := timezone.Find(set.timeZone()); err != nil {
		bad.Add("timeZone", fault.CodeInvalidValue, "Must be the name of a time zone such as Asia/Dhaka or UTC.")
	}
	if set.ActiveMode != plugin.Live && set.ActiveMode != plugin.Sandbox {
		bad.Add("activeMode", fault.CodeInvalidValue, "Must be live or sandbox.")
	}
}

// checkURLs checks the addresses of the shop's pages and files.
func (set *Settings) checkURLs(bad *fault.Invalid) {
	if set.LogoURL != "" && !input.IsWebURL(set.LogoURL) && !strings.HasPrefix(set.LogoURL, "/") {
		bad.Add("logoUrl", fault.CodeInvalidValue,
			"Must be an http or https URL, or a path of this server that begins with /.")
	}
	if set.StorefrontURL != "" && !input.IsWebURL(set.StorefrontURL) {
		bad.Add("storefrontUrl", fault.CodeInvalidValue, "Must be an http or https URL.")
	}
	if set.MediaURL != "" && !isMediaURL(set.MediaURL) {
		bad.Add("mediaUrl", fault.CodeInvalidValue, "Must be an https URL without a query.")
	}
	if set.TrackingURL != "" && !input.IsWebURL(set.TrackingURL) {
		bad.Add("trackingUrl", fault.CodeInvalidValue, "Must be an http or https URL.")
	}
	for i, origin := range set.Origins {
		if u, err := url.Parse(origin); err != nil || !input.IsWebURL(origin) || u.Path != "" || u.RawQuery != "" {
			bad.Add(fmt.Sprintf("origins[%d]", i), fault.CodeInvalidValue,
				"Must be a scheme and a host, such as https://shop.example.")
		}
	}
}

// isMediaURL reports whether uploaded images can be served below a URL.
func isMediaURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && input.IsWebURL(text) && u.Scheme == "https" && u.RawQuery == "" && u.Fragment == ""
}

// checkChoices checks the settings with a fixed list of values.
func (set *Settings) checkChoices(bad *fault.Invalid) {
	if set.RequireSecondFactor != "" && !slices.Contains(staff.Requirements(), set.RequireSecondFactor) {
		bad.Add("requireSecondFactor", fault.CodeInvalidValue, "Must be none, owners or everyone.")
	}
	if set.CashForBadRecords != "" && set.CashForBadRecords != order.CashAllow && set.CashForBadRecords != order.CashRefuse {
		bad.Add("cashForBadRecords", fault.CodeInvalidValue, "Must be allow or refuse.")
	}
	set.Search.Check(bad)
	for i, purpose := range set.ProofOfWork {
		if !slices.Contains(account.WorkPurposes(), purpose) {
			bad.Add(fmt.Sprintf("proofOfWork[%d]", i), fault.CodeInvalidValue, "Must be otp or orders.")
		}
	}
}

// checkDeliveryCharges checks each delivery charge, and that their IDs differ.
func (set *Settings) checkDeliveryCharges(bad *fault.Invalid) {
	seen := map[string]bool{}
	for i, d := range set.DeliveryCharges {
		at := fmt.Sprintf("deliveryCharges[%d]", i)
		if d.Name == "" {
			bad.Add(at+".name", fault.CodeRequired, "A delivery charge must have a name.")
		}
		if !money.IsAmount(d.Charge) || d.FreeOver != nil && !money.IsAmount(*d.FreeOver) {
			bad.Add(at+".charge", fault.CodeInvalidValue,
				"Amounts must be 0 or more, in minor units, and at most the largest amount of an order.")
		}
		if d.ID == "" || seen[d.ID] {
			bad.Add(at+"._id", fault.CodeInvalidValue, "The _id of each delivery charge must be unique and not empty.")
		}
		seen[d.ID] = true
		if slices.ContainsFunc(d.Countries, func(code string) bool { return !input.IsCountry(code) }) {
			bad.Add(at+".countries", fault.CodeInvalidValue, "Must be ISO 3166 country codes of two letters such as BD.")
		}
	}
}

// StoreFront returns the public configuration of the shop for a storefront.
func (s *Shop) StoreFront(ctx context.Context) (*StoreFront, error) {
	set, plugins, err := s.loadPlugins(ctx)
	if err != nil {
		return nil, err
	}
	checkout := order.CheckoutSettings{Settings: set.orders, Online: plugins.online}
	front := &StoreFront{
		UID: s.UID(), Name: set.Name, Currency: set.Currency, Country: set.Country, Locale: set.Locale, TimeZone: set.timeZone(),
		LogoURL: db.NullText(set.logoURL), DeliveryCharges: set.orders.ShownCharges(), SupportContact: set.SupportContact,
		LegalPolicies: db.OrEmpty(set.LegalPolicies), SocialLinks: db.OrEmpty(set.SocialLinks),
		PaymentMethods: checkout.PaymentMethods(),
	}
	return front, nil
}

// Districts are the districts that delivery charges recognize in the city of an address.
type Districts struct {
	Nodes []district.District `json:"nodes" nullable:"false" doc:"Empty for shops outside of Bangladesh"`
}

// ListDistricts returns the districts of the shop's country.
func (s *Shop) ListDistricts(ctx context.Context) (*Districts, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	if set.Country != "BD" {
		return &Districts{Nodes: []district.District{}}, nil
	}
	return &Districts{Nodes: district.Bangladesh()}, nil
}
