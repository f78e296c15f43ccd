package conversion

import (
	"regexp"
	"strings"

	"storefront/shop/fault"
)

// Receiver is an advertiser that receives events of orders from the server.
//
//api:enum Advertiser
type Receiver string

// The receivers.
const (
	Meta   Receiver = "meta"   // Meta's Conversions API
	TikTok Receiver = "tiktok" // TikTok's Events API
)

// Receivers returns all receivers.
func Receivers() []Receiver { return []Receiver{Meta, TikTok} }

// Name returns the name of a receiver for people.
func (r Receiver) Name() string {
	if r == TikTok {
		return "TikTok"
	}
	return "Meta"
}

// Step is the step of an order that is reported as a purchase.
//
//api:enum ConversionStep
type Step string

// The steps.
const (
	AtPlacing      Step = "placing"      // when the buyer orders
	AtConfirmation Step = "confirmation" // when the order is confirmed
	AtDelivery     Step = "delivery"     // when the first shipment is delivered
)

// Settings are the advertisers that a shop reports to, and the tags of its pages. The zero value
// means none.
type Settings struct {
	Meta   ReceiverSettings `json:"meta" doc:"Meta: Facebook and Instagram"`
	TikTok ReceiverSettings `json:"tiktok" doc:"TikTok"`
	Google GoogleSettings   `json:"google" doc:"Google Analytics or Google Ads, from the buyer's browser alone"`
}

// ReceiverSettings are the settings of a receiver. Its access token is stored apart.
type ReceiverSettings struct {
	PixelID string `json:"pixelId" doc:"ID of the pixel or data set; empty for none"`
	Step    Step   `json:"step,omitempty" enum:"placing,confirmation,delivery" doc:"The step of an order that is a purchase. Defaults to placing"`
	Tag     bool   `json:"tag" doc:"Whether the shop's pages load the pixel, after the buyer's consent"`
	// TestCode is sent with test events only.
	TestCode string `json:"testCode" doc:"Code of the receiver's page for test events; used by tests only"`
}

// GoogleSettings are the settings of Google's tag.
type GoogleSettings struct {
	TagID string `json:"tagId" doc:"ID of the tag, such as G-ABC123DEF4 or AW-123456789; empty for none"`
}

// step returns the step with its default.
func (s ReceiverSettings) step() Step {
	if s.Step == "" {
		return AtPlacing
	}
	return s.Step
}

// Of returns the settings of a receiver.
func (s *Settings) Of(r Receiver) ReceiverSettings {
	if r == TikTok {
		return s.TikTok
	}
	return s.Meta
}

// IsEmpty reports whether the shop has neither receivers nor tags.
func (s *Settings) IsEmpty() bool { return !s.HasReceivers() && s.Google.TagID == "" }

// HasReceivers reports whether a receiver is configured.
func (s *Settings) HasReceivers() bool { return s.Meta.PixelID != "" || s.TikTok.PixelID != "" }

// Tags are the tags that the pages of a shop load after the buyer's consent. "" means none.
type Tags struct{ Meta, TikTok, Google string }

// Tags returns the tags of the shop's pages.
func (s *Settings) Tags() (tags Tags) {
	if s.Meta.Tag {
		tags.Meta = s.Meta.PixelID
	}
	if s.TikTok.Tag {
		tags.TikTok = s.TikTok.PixelID
	}
	tags.Google = s.Google.TagID
	return tags
}

// CountsAtPlacing reports whether a receiver counts an order when it is placed.
func (s *Settings) CountsAtPlacing(r Receiver) bool { return s.Of(r).step() == AtPlacing }

// The forms of IDs, which are parts of the addresses of scripts and requests.
var (
	metaIDPattern   = regexp.MustCompile(`^[0-9]{5,20}$`)
	tiktokIDPattern = regexp.MustCompile(`^[A-Z0-9]{10,30}$`)
	googleIDPattern = regexp.MustCompile(`^(G|AW|GT)-[A-Z0-9]{4,20}$`)
	testCodePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)
)

// Check checks the settings below a path.
func (s *Settings) Check(bad *fault.Invalid, path string) {
	check := func(field, value string, pattern *regexp.Regexp, rule string) {
		if value != "" && !pattern.MatchString(value) {
			bad.Add(path+"."+field, fault.CodeInvalidValue, "%s", rule)
		}
	}
	check("meta.pixelId", s.Meta.PixelID, metaIDPattern, "The ID of Meta's pixel must be a number of 5 to 20 digits, as Events Manager shows it.")
	check("tiktok.pixelId", s.TikTok.PixelID, tiktokIDPattern, "The ID of TikTok's pixel must be 10 to 30 capital letters and digits.")
	check("google.tagId", s.Google.TagID, googleIDPattern, "The ID of Google's tag must begin with G-, GT- or AW-.")
	for field, r := range map[string]ReceiverSettings{"meta": s.Meta, "tiktok": s.TikTok} {
		check(field+".testCode", r.TestCode, testCodePattern, "A test code must have at most 40 letters and digits.")
		switch r.Step {
		case "", AtPlacing, AtConfirmation, AtDelivery:
		default:
			bad.Add(path+"."+field+".step", fault.CodeInvalidValue, "The step must be %s, %s or %s.", AtPlacing, AtConfirmation, AtDelivery)
		}
	}
}

// Advertisers returns the names of the advertisers that receive data of buyers.
func (s *Settings) Advertisers() (names []string) {
	if s.Meta.PixelID != "" {
		names = append(names, "Meta (Facebook)")
	}
	if s.TikTok.PixelID != "" {
		names = append(names, TikTok.Name())
	}
	if s.Google.TagID != "" {
		names = append(names, "Google")
	}
	return names
}

// siteWording begins the version of the text in which the shop's pages request consent. It changes
// with the text.
const siteWording = "site-1"

// Wording returns the version of the text in which the shop's pages request consent. It has the
// advertisers that the text names: a consent does not cover others.
func (s *Settings) Wording() string {
	wording := siteWording
	for _, r := range Receivers() {
		if s.Of(r).PixelID != "" {
			wording += "-" + string(r)
		}
	}
	if s.Google.TagID != "" {
		wording += "-google"
	}
	return wording
}

// covers reports whether a consent with a wording covers a receiver. Other clients than the shop's
// pages have words of their own.
func covers(wording string, r Receiver) bool {
	return !strings.HasPrefix(wording, "site-") || strings.Contains(wording+"-", "-"+string(r)+"-")
}
