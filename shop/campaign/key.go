package campaign

import (
	"strings"

	"storefront/shop/status"
)

// Kind is a kind of row in the report by campaign.
//
//api:enum CampaignKind
type Kind string

// The kinds.
const (
	KindCampaign Kind = "campaign" // a campaign by its name, as in utm_campaign
	KindSource   Kind = "source"   // a website or network without a campaign; the name has the medium too, such as google / cpc
	KindStaff    Kind = "staff"    // orders that staff placed, by their source
	KindDirect   Kind = "direct"   // buyers who came directly, or from an unknown place
	KindOther    Kind = "other"    // visits of a day with too many campaigns
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{KindCampaign, KindSource, KindStaff, KindDirect, KindOther} }

// Key identifies what led to a visit or an order.
type Key struct {
	Kind                     Kind   // campaign stands for source too
	Source, Medium, Campaign string // for orders by staff, where these were placed
}

// KeyOf returns the key of a touch. nil means a direct visit.
func KeyOf(t *Touch) Key {
	if t == nil {
		return NewKey("", "", "")
	}
	return NewKey(Text(t.Source), Text(t.Medium), Text(t.Campaign))
}

// NewKey returns the key of a source, a medium and a campaign. If all are "", the visit is direct.
func NewKey(source, medium, campaign string) Key {
	k := Key{Kind: KindDirect, Source: source, Medium: medium, Campaign: campaign}
	switch {
	case campaign != "":
		k.Kind = KindCampaign
	case source != "" || medium != "":
		k.Kind = KindSource
	}
	return k
}

// StaffKey returns the key of orders that staff placed.
func StaffKey(source status.Source) Key { return Key{Kind: KindStaff, Source: string(source)} }

// separator stands between the parts of a packed key. No value contains it: it is a control
// character.
const separator = "\x1f"

// Pack returns the key as a text.
func (k Key) Pack() string {
	return strings.Join([]string{string(k.Kind), k.Source, k.Medium, k.Campaign}, separator)
}

// UnpackKey returns the key of a text by [Key.Pack].
func UnpackKey(text string) Key {
	parts := append(strings.SplitN(text, separator, 4), "", "", "", "")
	return Key{Kind(parts[0]), parts[1], parts[2], parts[3]}
}

// Channel returns the source and the medium as a text; "" if both are unknown.
func (k Key) Channel() string {
	if k.Source == "" || k.Medium == "" {
		return k.Source + k.Medium
	}
	return k.Source + " / " + k.Medium
}

// Name returns the name of the row that the key belongs to.
func (k Key) Name() string {
	switch k.Kind {
	case KindCampaign:
		return k.Campaign
	case KindSource:
		return k.Channel()
	case KindStaff:
		return k.Source
	}
	return ""
}

// Fold returns the form of a row's name by which spellings are compared.
func Fold(name string) string { return strings.ToLower(name) }
