package site

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"storefront/shop/campaign"
	"storefront/shop/conversion"
	"storefront/shop/money"
)

// consentCookie stores whether a buyer allows advertising: 1 or 0, the version of the text, and the
// time in seconds, separated by ~. The script of the pages sets it.
const consentCookie = "consent"

// browserEvent is what a page reports to advertisers, after the buyer's consent.
type browserEvent struct {
	Name     string      `json:"name"`
	IDs      []string    `json:"ids"` // of variants, as in the feed
	Value    json.Number `json:"value"`
	Currency string      `json:"currency"`
	// ID is the invoice UID of a purchase, by which an advertiser recognizes the server's event.
	ID string `json:"id,omitempty"`
}

func newBrowserEvent(name string, value money.Money, currency money.Currency, ids ...string) *browserEvent {
	return &browserEvent{Name: name, IDs: ids, Value: json.Number(currency.Decimal(value.Amount)), Currency: currency.Code}
}

// consentBar is the question whether the buyer allows advertising.
type consentBar struct {
	Text   string
	Policy string // end of a privacy policy
	Style  string // path of its stylesheet
	data   consentData
}

// consentData is the data of the script.
type consentData struct {
	Wording string            `json:"wording"`
	Script  string            `json:"script"` // path of the script that loads the tags
	Tags    map[string]string `json:"tags"`   // IDs by advertiser
	Later   []string          `json:"later"`  // advertisers that count an order at a later step
	Event   *browserEvent     `json:"event,omitempty"`
}

// Data returns the data of the script as JSON.
func (b *consentBar) Data() (string, error) {
	text, err := json.Marshal(b.data)
	return string(text), err
}

// newConsent returns the question; nil if the shop has no advertisers, or in a preview.
func (s *Site) newConsent(f *frame) *consentBar {
	set := f.advertising
	if set.IsEmpty() || f.page.preview != "" {
		return nil
	}
	paths := s.files.paths
	f.Scripts = append(f.Scripts, paths["consent.js"])
	names := strings.Join(set.Advertisers(), ", ")
	b := &consentBar{
		Text:   strings.Replace(f.W.AdvertisingAsk, "{}", names, 1),
		Policy: strings.Replace(f.W.AdvertisingPolicy, "{}", names, 1), Style: paths["consent.css"],
		data: consentData{Wording: set.Wording(), Script: paths["advertising.js"], Tags: map[string]string{}, Later: []string{}},
	}
	tags := set.Tags()
	for name, id := range map[string]string{"meta": tags.Meta, "tiktok": tags.TikTok, "google": tags.Google} {
		if id != "" {
			b.data.Tags[name] = id
		}
	}
	for _, r := range conversion.Receivers() {
		if !set.CountsAtPlacing(r) {
			b.data.Later = append(b.data.Later, string(r))
		}
	}
	return b
}

// report makes the page report an event.
func (f *frame) report(e *browserEvent) {
	if f.Consent != nil {
		f.Consent.data.Event = e
	}
}

// consent returns the buyer's consent to the present text, nil without one.
func (r *request) consent(set *conversion.Settings) *campaign.ConsentInput {
	cookie, err := r.Request.Cookie(consentCookie)
	if err != nil || set.IsEmpty() {
		return nil
	}
	allowed, rest, _ := strings.Cut(cookie.Value, "~")
	wording, seconds, _ := strings.Cut(rest, "~")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || allowed != "1" || wording != set.Wording() || at < 0 || at > r.Now.Add(time.Hour).Unix() {
		return nil
	}
	page := r.Origin + r.Request.URL.Path
	return &campaign.ConsentInput{At: new(time.Unix(at, 0)), Wording: &wording, Page: &page}
}

// policyHosts are the hosts of the advertisers' scripts and requests, as they document them.
var policyHosts = []struct {
	name             string
	scripts, reports string
}{
	// https://developers.facebook.com/docs/meta-pixel/implementation/csp
	{"meta", "https://connect.facebook.net", "https://www.facebook.com https://connect.facebook.net"},
	// https://business-api.tiktok.com/portal/docs?id=1739585702922241
	{"tiktok", "https://analytics.tiktok.com", "https://analytics.tiktok.com"},
	// https://developers.google.com/tag-platform/security/guides/csp
	{"google", "https://www.googletagmanager.com https://www.googleadservices.com https://googleads.g.doubleclick.net",
		"https://*.google-analytics.com https://*.analytics.google.com https://*.googletagmanager.com https://*.g.doubleclick.net https://www.google.com"},
}

// PolicyHosts returns the hosts that a page with these tags may load scripts from and send requests
// to, each with a space before it; "" without tags.
func PolicyHosts(tags conversion.Tags) (scripts, reports string) {
	for _, h := range policyHosts {
		if id := map[string]string{"meta": tags.Meta, "tiktok": tags.TikTok, "google": tags.Google}[h.name]; id != "" {
			scripts, reports = scripts+" "+h.scripts, reports+" "+h.reports
		}
	}
	return scripts, reports
}
