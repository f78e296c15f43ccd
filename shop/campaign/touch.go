package campaign

import (
	"cmp"
	"net/url"
	"strings"
	"time"
	"unicode"

	"storefront/shop/input"
)

// Lifetime is the time for which a touch counts.
const Lifetime = 30 * 24 * time.Hour

const (
	// maxValue is the maximum length of a value, in characters. Longer values are cut.
	maxValue = 100
	// maxClickID is the maximum length of a value by which Meta recognizes a click or a browser. A
	// longer one is dropped, since a part of it means nothing.
	maxClickID = 255
)

// TouchInput is a visit that an advertisement or another website led to.
type TouchInput struct {
	Source   *string    `json:"source,omitempty" doc:"utm_source. Defaults to the network of the click or the referrer, such as facebook"`
	Medium   *string    `json:"medium,omitempty" doc:"utm_medium"`
	Campaign *string    `json:"campaign,omitempty" doc:"utm_campaign"`
	Content  *string    `json:"content,omitempty" doc:"utm_content"`
	Term     *string    `json:"term,omitempty" doc:"utm_term"`
	Fbclid   *string    `json:"fbclid,omitempty" doc:"Meta's ID of the click"`
	Referrer *string    `json:"referrer,omitempty" doc:"Host of the page that led to the shop"`
	Landing  *string    `json:"landing,omitempty" doc:"Path of the first page"`
	At       *time.Time `json:"at,omitempty" doc:"Time of the visit. Defaults to now; a touch of more than 30 days ago is ignored"`
}

// AttributionInput is what led a buyer to an order. Values are cut at 100 characters, and never
// refused.
type AttributionInput struct {
	First *TouchInput `json:"first,omitempty" doc:"The first touch of the last 30 days. Defaults to the last"`
	Last  *TouchInput `json:"last,omitempty" doc:"The last touch. Defaults to the first"`
	Fbp   *string     `json:"fbp,omitempty" doc:"The cookie _fbp of Meta's pixel"`
	Fbc   *string     `json:"fbc,omitempty" doc:"The cookie _fbc of Meta's pixel. Defaults to one for fbclid"`
	// Consent is nil unless the buyer has consented.
	Consent *ConsentInput `json:"consent,omitempty" doc:"The buyer's consent that the order is reported to advertisers. Omitted without consent"`
}

// Touch is a visit that an advertisement or another website led to.
type Touch struct {
	Source   *string    `json:"source" doc:"utm_source, or the network of the click or the referrer"`
	Medium   *string    `json:"medium" doc:"utm_medium"`
	Campaign *string    `json:"campaign" doc:"utm_campaign"`
	Content  *string    `json:"content" doc:"utm_content; null if it is unknown or erased, as all below"`
	Term     *string    `json:"term" doc:"utm_term"`
	Fbclid   *string    `json:"fbclid" doc:"Meta's ID of the click"`
	Referrer *string    `json:"referrer" doc:"Host of the page that led to the shop"`
	Landing  *string    `json:"landing" doc:"Path of the first page"`
	At       *time.Time `json:"at" doc:"Time of the visit"`
}

// Attribution is what led a buyer to an order.
type Attribution struct {
	First *Touch  `json:"first" doc:"The first touch in the 30 days before the order"`
	Last  *Touch  `json:"last" doc:"The last touch before the order"`
	Fbp   *string `json:"fbp" doc:"The cookie _fbp of Meta's pixel; null if it is unknown or erased"`
	Fbc   *string `json:"fbc" doc:"The cookie _fbc of Meta's pixel; null if it is unknown or erased"`

	Consent *Consent `json:"consent" doc:"The buyer's consent that the order is reported to advertisers; null without consent"`
}

// Input returns the attribution as a client would send it.
func (a *Attribution) Input() *AttributionInput {
	return &AttributionInput{First: (*TouchInput)(a.First), Last: (*TouchInput)(a.Last), Fbp: a.Fbp, Fbc: a.Fbc, Consent: a.Consent.input()}
}

// Text returns a value; "" means that it is unknown.
func Text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// newText returns a value, nil for an empty one.
func newText(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

// line returns a value in its stored form: a single line of visible text.
func line(value *string) string {
	if value == nil {
		return ""
	}
	text := input.Cut(*value, 4*maxValue) // before work that depends on its length
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' { // joiners belong to Bangla
			return ' '
		}
		return r
	}, input.Clean(text))
	return strings.TrimSpace(input.Cut(strings.Join(strings.Fields(text), " "), maxValue))
}

const clickIDLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."

// clickID returns a value by which Meta recognizes a click or a browser; "" if it
// is malformed.
func clickID(value *string) string {
	id := strings.TrimSpace(Text(value))
	if len(id) > maxClickID || strings.Trim(id, clickIDLetters) != "" {
		return ""
	}
	return id
}

// pixelCookie returns the value of a cookie of Meta's pixel; "" if it is malformed.
func pixelCookie(value *string) string {
	id := clickID(value)
	if !strings.HasPrefix(id, "fb.") {
		return ""
	}
	return id
}

// network is a network that leads buyers to shops.
type network struct {
	name  string
	hosts []string // also those below them
}

var networks = []network{
	{"facebook", []string{"facebook.com", "fb.com", "fb.me", "com.facebook.katana"}},
	{"messenger", []string{"messenger.com", "m.me", "com.facebook.orca"}},
	{"instagram", []string{"instagram.com", "com.instagram.android"}},
	{"whatsapp", []string{"whatsapp.com", "wa.me", "com.whatsapp"}},
	{"google", []string{"google.com", "google.com.bd", "com.google.android.googlequicksearchbox"}},
	{"youtube", []string{"youtube.com", "youtu.be"}},
	{"tiktok", []string{"tiktok.com"}},
	{"bing", []string{"bing.com"}},
}

// networkOf returns the name of the network of a host, or the host itself.
func networkOf(host string) (name string, ok bool) {
	for _, n := range networks {
		for _, own := range n.hosts {
			if host == own || strings.HasSuffix(host, "."+own) {
				return n.name, true
			}
		}
	}
	return strings.TrimPrefix(host, "www."), false
}

// referral is the medium of a visit that another website led to.
const referral = "referral"

// origin returns the source and the medium of a touch that was sent without a source.
func (t *Touch) origin(referrer, fbclid string) (source, medium string) {
	source, isNetwork := networkOf(referrer)
	switch {
	case isNetwork:
	case fbclid != "":
		return "facebook", ""
	case referrer != "" && line(t.Campaign) == "":
		return source, referral
	}
	return source, ""
}

// clean returns a touch in its stored form; nil if it says nothing or is too old.
func (t *Touch) clean(now time.Time) *Touch {
	if t == nil {
		return nil
	}
	at := now
	if t.At != nil && t.At.Before(now) {
		at = *t.At
	}
	if now.Sub(at) >= Lifetime {
		return nil
	}
	referrer, fbclid := strings.ToLower(line(t.Referrer)), clickID(t.Fbclid)
	source, medium := strings.ToLower(line(t.Source)), strings.ToLower(line(t.Medium))
	if source == "" {
		var of string
		source, of = t.origin(referrer, fbclid)
		medium = cmp.Or(medium, of)
	}
	cleaned := Touch{
		Source: newText(input.Cut(source, maxValue)), Medium: newText(medium), Campaign: newText(line(t.Campaign)),
		Content: newText(line(t.Content)), Term: newText(line(t.Term)),
	}
	if cleaned == (Touch{}) {
		return nil
	}
	cleaned.Fbclid, cleaned.Referrer, cleaned.Landing = newText(fbclid), newText(referrer), newText(line(t.Landing))
	cleaned.At = new(at.UTC().Truncate(time.Second))
	return &cleaned
}

// Clean returns an attribution in its stored form; nil if it says nothing. A client has sent it, so
// it is trusted for nothing but reports.
func (a *AttributionInput) Clean(now time.Time) *Attribution {
	if a == nil {
		return nil
	}
	cleaned := Attribution{
		First: (*Touch)(a.First).clean(now), Last: (*Touch)(a.Last).clean(now),
		Fbp: newText(pixelCookie(a.Fbp)), Fbc: newText(pixelCookie(a.Fbc)), Consent: a.Consent.clean(now),
	}
	if cleaned.First == nil {
		cleaned.First = cleaned.Last
	}
	if cleaned.Last == nil {
		cleaned.Last = cleaned.First
	}
	if cleaned.Fbc == nil {
		cleaned.Fbc = cleaned.clickCookie()
	}
	if cleaned == (Attribution{}) {
		return nil
	}
	return &cleaned
}

// clickCookie returns what Meta's pixel would have stored as _fbc, nil without a click.
func (a *Attribution) clickCookie() *string {
	for _, t := range []*Touch{a.Last, a.First} {
		if t != nil && t.Fbclid != nil {
			return new("fb.1." + millis(*t.At) + "." + *t.Fbclid)
		}
	}
	return nil
}

// NewTouch returns the touch of a visit of a page by its query and the referrer's URL, "" if there
// is none. It returns nil if neither an advertisement nor another website led to it. isOwn reports
// whether a host is the shop's.
func NewTouch(rawQuery, referrer, path string, isOwn func(host string) bool, now time.Time) *Touch {
	t := Touch{Landing: &path}
	if host := refererHost(referrer); host != "" && !isOwn(host) {
		t.Referrer = &host
	}
	if strings.Contains(rawQuery, "utm_") || strings.Contains(rawQuery, "clid=") {
		t.readQuery(rawQuery)
	}
	if t == (Touch{Landing: &path}) {
		return nil
	}
	return t.clean(now)
}

// readQuery reads the parameters of a campaign.
func (t *Touch) readQuery(rawQuery string) {
	query, _ := url.ParseQuery(rawQuery) // without its invalid parts
	get := func(name string) *string { return newText(query.Get(name)) }
	t.Source, t.Medium, t.Campaign = get("utm_source"), get("utm_medium"), get("utm_campaign")
	t.Content, t.Term, t.Fbclid = get("utm_content"), get("utm_term"), get("fbclid")
	switch {
	case t.Source != nil || t.Fbclid != nil:
	case query.Has("gclid"):
		t.Source = new("google")
	case query.Has("ttclid"):
		t.Source = new("tiktok")
	}
}

// refererHost returns the host of a referrer's URL, "" if there is none.
func refererHost(referrer string) string {
	u, err := url.Parse(referrer)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// isReferral reports whether no advertisement is known that led to the visit.
func (t *Touch) isReferral() bool {
	return t.Referrer != nil && t.Campaign == nil && t.Content == nil && t.Term == nil && t.Fbclid == nil &&
		(t.Medium == nil || *t.Medium == referral)
}
