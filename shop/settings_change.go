package shop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/outbox"
	"storefront/shop/plugin"
	"storefront/shop/sales"
)

// SetSettings changes the settings in changes. They have their JSON form; null restores the
// default. Some settings require a further permission; see settings_access.go. Codes:
// validation_failed (an unknown name or an invalid value; Fields lists them), unauthenticated,
// forbidden, proof_required.
func (s *Shop) SetSettings(
	ctx context.Context, caller access.Caller, changes map[string]json.RawMessage,
) error {
	_, err := s.SetSettingsIf(ctx, caller, changes, nil)
	return err
}

// SetSettingsIf is [Shop.SetSettings] on condition that check accepts the settings before the
// change; nil accepts any. Codes: those of SetSettings, and check's.
func (s *Shop) SetSettingsIf(
	ctx context.Context, caller access.Caller, changes map[string]json.RawMessage,
	check func(StaffSettings) error,
) (*StaffSettings, error) {
	return s.changeSettings(ctx, caller, access.ToSetSettings, changes, check)
}

// SetMode sets the mode in which the shop uses its providers. Codes: validation_failed.
func (s *Shop) SetMode(
	ctx context.Context, caller access.Caller, mode plugin.Mode,
) (*StaffSettings, error) {
	value, err := json.Marshal(mode)
	if err != nil {
		return nil, fmt.Errorf("encode mode: %w", err)
	}
	return s.changeSettings(
		ctx, caller, access.ToSetMode, map[string]json.RawMessage{"activeMode": value}, nil,
	)
}

func (s *Shop) changeSettings(
	ctx context.Context, caller access.Caller, use access.UseCase, changes map[string]json.RawMessage,
	check func(StaffSettings) error,
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
		if err := settings.checkLocked(&was); err != nil {
			return err
		}
		if err := settings.follow(tx, was.Currency, logo, zone); err != nil {
			return err
		}
		view = staffSettingsFor(who, settings)
		if view.Inherited, err = s.findInherited(tx, &settings); err != nil {
			return err
		}
		changed := withoutDefaults(changedSettings(rows, toRows(settings)), &was, &settings)
		if len(changed) == 0 {
			return nil
		}
		if err := requireSettings(tx, who, changed); err != nil {
			return err
		}
		if err := changeLimits(tx, who, &was, &settings); err != nil {
			return err
		}
		if err := saveSettings(tx, settings); err != nil {
			return err
		}
		if err := settings.deleteLostTranslations(tx, &was); err != nil {
			return err
		}
		event := outbox.Event{Type: outbox.SettingsChanged, Subject: "settings"}
		if err := outbox.Append(tx, event); err != nil {
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

// follow checks and changes what depends on the currency, the logo and the time zone, which were
// these before. Codes: validation_failed.
func (set *Settings) follow(tx *db.Tx, currency, logo, zone string) error {
	if set.Currency != currency {
		if err := checkCurrencyChange(tx, currency); err != nil {
			return err
		}
	}
	if set.Brand.LogoID != logo {
		if err := useLogo(tx, set); err != nil {
			return err
		}
	}
	if set.timeZone() != zone { // the other days
		return sales.DeleteDays(tx)
	}
	return nil
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
	if err := checkOperatorsOwn(who, &before, set); err != nil {
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
	err := tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM products) OR EXISTS (SELECT 1 FROM orders)`).
		Scan(&used)
	if err != nil {
		return fmt.Errorf("find amounts: %w", err)
	}
	if used {
		var bad fault.Invalid
		bad.Add(
			"currency", fault.CodeInvalidValue,
			"The currency cannot be changed because the shop has amounts in %s. "+
				"Create a new shop for another currency.",
			before,
		)
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
			bad.Add(name, fault.CodeInvalidValue, "Invalid value for %s: %s.", name, fault.Reason(err))
		}
	}
	set.normalize()
	set.check(&bad)
	// a setting that was stored unchecked refuses no change of another
	if _, changed := changes["supportContact"]; changed {
		input.CheckEmail(&bad, "supportContact.email", set.SupportContact.Email)
		checkMessenger(&bad, set.SupportContact.Messenger)
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
		whole := jsontext.Value(one) // 2.0 and 20e-1 become 2
		if err := whole.Format(jsontext.CanonicalizeRawFloats(true), jsontext.PreserveRawStrings(true)); err != nil {
			return errors.New("not JSON")
		}
		dec := json.NewDecoder(bytes.NewReader(whole))
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
	for _, line := range []*string{contact.Phone, contact.Email, contact.WhatsApp, contact.Messenger} {
		cleanLine(line)
	}
	if contact.Messenger != nil {
		contact.Messenger = new(messengerLink.ReplaceAllString(*contact.Messenger, ""))
	}
	if contact.Address != nil {
		contact.Address = new(strings.TrimSpace(input.UnixNewlines(input.Clean(*contact.Address))))
	}
	for _, text := range set.texts() {
		text.Slug, text.BodyHTML = strings.TrimSpace(text.Slug), input.SanitizeHTML(text.BodyHTML)
	}
	for i, origin := range set.Origins {
		set.Origins[i] = strings.TrimSuffix(strings.ToLower(origin), "/")
	}
	set.normalizeDomains()
	set.normalizePrint()
	set.Advance.Normalize()
	set.Country = strings.ToUpper(set.Country)
	set.Currency = strings.ToUpper(set.Currency)
	if set.ActiveMode == "" {
		set.ActiveMode = plugin.Live
	}
}

var (
	// messengerLink is the part of a link to a page or its chat that precedes the page's name.
	messengerLink = regexp.MustCompile(`(?i)^(https?://)?((www\.)?m\.me|(www\.|m\.|web\.)?(facebook|messenger|fb)\.com(/t)?)/`)
	messengerName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
)

func checkMessenger(bad *fault.Invalid, name *string) {
	if name != nil && *name != "" && !messengerName.MatchString(*name) {
		bad.Add("supportContact.messenger", fault.CodeInvalidValue, "Must be the name of a Facebook page, as in m.me/NAME.")
	}
}

// cleanLine makes a text one line, so that it adds no line where it is shown or sent; nil is none.
func cleanLine(text *string) {
	if text != nil {
		*text = input.CleanLine(*text)
	}
}
