package shop

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/design"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/locale"
)

// DefaultKey is a subject for which the operator of the server sets a default.
//
//api:enum DefaultKey
type DefaultKey string

// The subjects of defaults.
const (
	DefaultSMS      DefaultKey = "sms"      // the gateway of text messages
	DefaultMail     DefaultKey = "mail"     // the mail server
	DefaultDesign   DefaultKey = "design"   // the design of the site, with its colours and fonts
	DefaultPolicies DefaultKey = "policies" // legal policies
)

// DefaultKeys returns every key.
func DefaultKeys() []DefaultKey {
	return []DefaultKey{DefaultSMS, DefaultMail, DefaultDesign, DefaultPolicies}
}

// Defaults are what the operator of the server sets for all of its shops. The installation has the
// original among its settings, and each shop a copy, so that no request for a page or an order
// reads other data. The credentials of the SMS gateway and of the mail server are in no copy: the
// installation alone has them, and sends with them for a shop; see [sender.Config].
type Defaults struct {
	Branding Branding        `json:"branding" doc:"Appearance of the dashboard"`
	Design   *design.Theme   `json:"design" doc:"Design of shops that have not published one; null means the program's"`
	Policies []DefaultPolicy `json:"policies" nullable:"false" doc:"Legal policies of shops without one of the same slug"`
	Locked   []DefaultKey    `json:"locked" nullable:"false" doc:"Subjects that shops cannot set themselves; without effect where there is no default"`

	Announcements []Announcement `json:"announcements" nullable:"false" doc:"Messages to the staff members of shops, such as about maintenance"`

	SMS  bool `json:"sms" doc:"Shops without a gateway of text messages use the installation's"`
	Mail bool `json:"mail" doc:"Shops without a mail server use the installation's"`
}

// Branding is the appearance of the dashboard: the name of the service, and the contact for help.
type Branding struct {
	Name   string `json:"name" doc:"Name of the operator's service, or empty"`
	Logo   string `json:"logo,omitempty" doc:"Image as a data URL of PNG, JPEG or WebP, at most 32 KiB, or empty"`
	Colour string `json:"colour" doc:"Colour as #rrggbb, from which readable ones are derived, or empty"`
	Phone  string `json:"phone" doc:"For questions of shops, or empty"`
	Email  string `json:"email" doc:"For questions of shops, or empty"`
	URL    string `json:"url" doc:"Page for questions of shops, or empty"`
}

// DefaultPolicy is a legal policy in both languages. An empty text means the other language's.
type DefaultPolicy struct {
	Slug   string      `json:"slug" doc:"Last part of the page's address"`
	Bangla DefaultText `json:"bn"`
	Eng    DefaultText `json:"en"`
}

// DefaultText is a text of a [DefaultPolicy] in one language.
type DefaultText struct {
	Title    string `json:"title"`
	BodyHTML string `json:"bodyHtml" doc:"Sanitized HTML"`
}

const (
	maxLogo         = 32 << 10 // bytes of a logo's data URL
	maxDefaultTexts = 20
	maxPolicyHTML   = 200_000 // characters
)

var logoTypes = []string{"image/png", "image/jpeg", "image/webp"}

// IsLocked reports whether shops cannot replace a default.
func (d *Defaults) IsLocked(key DefaultKey) bool {
	return d.Has(key) && slices.Contains(d.Locked, key)
}

// Has reports whether there is a default.
func (d *Defaults) Has(key DefaultKey) bool {
	if d == nil {
		return false
	}
	switch key {
	case DefaultSMS:
		return d.SMS
	case DefaultMail:
		return d.Mail
	case DefaultDesign:
		return d.Design != nil
	}
	return len(d.Policies) > 0
}

// Hash identifies the content; "" if d is nil.
func (d *Defaults) Hash() string {
	if d == nil {
		return ""
	}
	sum := sha256.Sum256(mustEncode(d))
	return hex.EncodeToString(sum[:8])
}

// mustEncode returns a value of plain fields as JSON.
func mustEncode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// check checks and normalizes the defaults.
func (d *Defaults) check(bad *fault.Invalid) {
	d.Branding.check(bad)
	if d.Design != nil {
		d.Design.Check(bad, "design.")
	}
	if len(d.Policies) > maxDefaultTexts {
		bad.Add("policies", fault.CodeInvalidValue, "Must not be more than %d policies.", maxDefaultTexts)
	}
	d.Policies = db.OrEmpty(d.Policies)
	known := map[string]bool{}
	for i := range d.Policies {
		p := &d.Policies[i]
		path := fmt.Sprintf("policies[%d].", i)
		p.Slug = strings.TrimSpace(p.Slug)
		if !isSlug(p.Slug) || known[p.Slug] {
			bad.Add(path+"slug", fault.CodeInvalidValue, "Must be 1 to %d letters, digits and hyphens, and differ from the others.", maxSlug)
		}
		known[p.Slug] = true
		p.Bangla.check(bad, path+"bn.")
		p.Eng.check(bad, path+"en.")
		if p.Bangla.Title == "" && p.Eng.Title == "" {
			bad.Add(path+"en.title", fault.CodeRequired, "A title in one of the languages is required.")
		}
	}
	slices.Sort(d.Locked)
	d.Locked = db.OrEmpty(slices.Compact(d.Locked))
	input.CheckValues(bad, "locked", d.Locked, DefaultKeys())
	d.checkAnnouncements(bad)
}

func (t *DefaultText) check(bad *fault.Invalid, path string) {
	t.Title = input.CheckLine(bad, path+"title", t.Title, maxLine)
	t.BodyHTML = input.SanitizeHTML(t.BodyHTML)
	input.CheckText(bad, path+"bodyHtml", t.BodyHTML, maxPolicyHTML)
	if t.Title == "" && t.BodyHTML != "" {
		bad.Add(path+"title", fault.CodeRequired, "A text must have a title.")
	}
}

var brandPhone = regexp.MustCompile(`^\+?[0-9 ()-]{3,30}$`)

func (b *Branding) check(bad *fault.Invalid) {
	b.Name = input.CheckLine(bad, "branding.name", b.Name, maxLine)
	b.Colour = strings.ToLower(strings.TrimSpace(b.Colour))
	if b.Colour != "" && !colourPattern.MatchString(b.Colour) {
		bad.Add("branding.colour", fault.CodeInvalidValue, "Must be a colour such as #1a7f5a, or empty.")
	}
	b.Phone = strings.TrimSpace(b.Phone)
	if b.Phone != "" && !brandPhone.MatchString(b.Phone) {
		bad.Add("branding.phone", fault.CodeInvalidValue, "Must be a phone number, or empty.")
	}
	if b.Email != "" {
		b.Email = db.TextOf(input.CheckEmail(bad, "branding.email", &b.Email))
	}
	b.URL = strings.TrimSpace(b.URL)
	if b.URL != "" && !input.IsWebURL(b.URL) {
		bad.Add("branding.url", fault.CodeInvalidValue, "Must be an http or https URL.")
	}
	if b.Logo != "" && !isLogo(b.Logo) {
		bad.Add("branding.logo", fault.CodeInvalidValue, "Must be a data URL of a PNG, JPEG or WebP image of at most %d KiB.", maxLogo>>10)
	}
}

// isLogo reports whether a text is a data URL of a small image.
func isLogo(text string) bool {
	rest, ok := strings.CutPrefix(text, "data:")
	kind, data, isBase64 := strings.Cut(rest, ";base64,")
	if !ok || !isBase64 || len(text) > maxLogo || !slices.Contains(logoTypes, kind) {
		return false
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	return err == nil && len(raw) > 0
}

// defaultsNames are the parts of the defaults that [Shop.SetDefaults] changes.
var defaultsNames = []string{"branding", "design", "policies", "locked", "announcements"}

// FindDefaults returns the defaults of the installation, which the shop must be, as operators set
// them. Codes: unauthenticated, forbidden.
func (s *Shop) FindDefaults(ctx context.Context, caller access.Caller) (*Defaults, error) {
	return access.Read(ctx, s.data, caller, access.ToFindDefaults, func(tx *db.Tx, _ access.Staff) (*Defaults, error) {
		return s.findOwnDefaults(tx)
	})
}

// DefaultsForShops returns the installation's defaults, which each shop receives by [Defaults.For];
// nil if there are none.
func (s *Shop) DefaultsForShops(ctx context.Context) (d *Defaults, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		d, err = s.findOwnDefaults(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	d.Branding.Logo = "" // the dashboard loads it from the server
	if d.isEmpty() {
		return nil, nil
	}
	return d, nil
}

// findOwnDefaults returns the defaults of the installation; none is nil.
func (s *Shop) findOwnDefaults(tx *db.Tx) (*Defaults, error) {
	d, err := findSetting[*Defaults](tx, "defaults")
	if err != nil {
		return nil, err
	}
	if d == nil {
		d = &Defaults{Policies: []DefaultPolicy{}, Locked: []DefaultKey{}, Announcements: []Announcement{}}
	}
	d.SMS, d.Mail, err = s.Sender.FindConfigured(tx)
	return d, err
}

// SetDefaults changes parts of the installation's defaults, by name in their JSON form; null
// removes one. The background work of the server sets them in its shops. Codes: validation_failed,
// unauthenticated, forbidden, proof_required.
func (s *Shop) SetDefaults(ctx context.Context, caller access.Caller, changes map[string]json.RawMessage) (*Defaults, error) {
	saved, err := access.Write(ctx, s.data, caller, access.ToSetDefaults, func(tx *db.Tx, who access.Staff) (*Defaults, error) {
		settings, err := findSettings(tx)
		if err != nil {
			return nil, err
		}
		before := settings.Defaults
		if before == nil {
			before = &Defaults{}
		}
		next, err := before.with(changes)
		if err != nil {
			return nil, err
		}
		settings.Defaults = next
		if err := saveSettings(tx, settings); err != nil {
			return nil, err
		}
		if err := who.Audit(tx, access.Subject{Kind: access.SubjectDefaults}, before.changesTo(next)...); err != nil {
			return nil, err
		}
		return s.findOwnDefaults(tx)
	})
	if err != nil {
		return nil, err
	}
	s.revision.Add(1)
	return saved, nil
}

// with returns the defaults with changes. Codes: validation_failed.
func (d *Defaults) with(changes map[string]json.RawMessage) (*Defaults, error) {
	var bad fault.Invalid
	var next Defaults
	parts := map[string]json.RawMessage{}
	if err := json.Unmarshal(mustEncode(d), &parts); err != nil {
		return nil, fmt.Errorf("parse defaults: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if !slices.Contains(defaultsNames, name) {
			bad.Add(name, fault.CodeUnknownField, "There is no default %s here. The defaults are: %s.", name, strings.Join(defaultsNames, ", "))
			continue
		}
		part := mustEncode(map[string]json.RawMessage{name: changes[name]})
		dec := json.NewDecoder(bytes.NewReader(part))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&Defaults{}); err != nil {
			bad.Add(name, fault.CodeInvalidValue, "Invalid value for %s: %s.", name, fault.Reason(err))
			continue
		}
		parts[name] = changes[name]
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(mustEncode(parts), &next); err != nil {
		return nil, fmt.Errorf("parse defaults: %w", err)
	}
	next.check(&bad)
	return &next, bad.Err()
}

// changesTo returns the differences of defaults for the audit log, without long texts.
func (d *Defaults) changesTo(next *Defaults) (changes []access.Change) {
	was, is := d.audited(), next.audited()
	for _, name := range defaultsNames {
		if !bytes.Equal(mustEncode(was[name]), mustEncode(is[name])) {
			changes = append(changes, access.Change{Field: name, Before: was[name], After: is[name]})
		}
	}
	return changes
}

// audited returns the parts as the audit log has them: policies by their slugs, with the hash of
// their texts, and the logo by its hash.
func (d *Defaults) audited() map[string]any {
	short := func(value any) string {
		sum := sha256.Sum256(mustEncode(value))
		return hex.EncodeToString(sum[:4])
	}
	branding := d.Branding
	if branding.Logo != "" {
		branding.Logo = short(branding.Logo)
	}
	policies := make([]string, len(d.Policies))
	for i := range d.Policies {
		policies[i] = d.Policies[i].Slug + " " + short(d.Policies[i])
	}
	return map[string]any{
		"branding": branding, "design": d.Design, "policies": policies, "locked": db.OrEmpty(d.Locked),
		"announcements": db.OrEmpty(d.Announcements),
	}
}

// in returns the text of a policy in a language, or else in the other one.
func (p *DefaultPolicy) in(language locale.Language) LegalPolicy {
	text, other := p.Eng, p.Bangla
	if language == locale.Bangla {
		text, other = other, text
	}
	if text.Title == "" {
		text = other
	}
	return LegalPolicy{p.Slug, text.Title, text.BodyHTML}
}
