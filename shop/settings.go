package shop

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/conversion"
	"storefront/shop/locale"
	"storefront/shop/message"
	"storefront/shop/order"
	"storefront/shop/plan"
	"storefront/shop/plugin"
	"storefront/shop/staff"
	"storefront/shop/timezone"
)

// Settings are the shop's settings. Each field is one row of the table settings, under its JSON
// name; the zero value of a field is its default.
type Settings struct {
	Name          string   `json:"name"`
	Currency      string   `json:"currency" doc:"ISO 4217; fixed once the shop has products or orders"`
	Country       string   `json:"country" doc:"ISO 3166, two letters; also the region of local phone numbers"`
	Locale        string   `json:"locale" doc:"BCP 47"`
	SecondLocale  string   `json:"secondLocale" doc:"BCP 47 of the site's second language, or empty"`
	TimeZone      string   `json:"timeZone" doc:"IANA name; defaults to the country's only time zone, or UTC if it has several"`
	LogoURL       string   `json:"logoUrl" doc:"URL of a logo that is not uploaded; see brand.logoId"`
	StorefrontURL string   `json:"storefrontUrl" doc:"Page to which buyers return from a gateway; defaults to a plain page of the server"`
	TrackingURL   string   `json:"trackingUrl" doc:"Page of an order, for messages; defaults to storefrontUrl, or a page of the server"`
	MediaURL      string   `json:"mediaUrl" doc:"Address of a CDN in front of /media of this server; defaults to the server"`
	Origins       []string `json:"origins" nullable:"false" doc:"Web origins that may send requests from browsers; empty means any"`
	Domains       []string `json:"domains" nullable:"false" doc:"Host names at which the server serves the shop by TLS; unique among shops"`

	// ConfirmedDomains are the Domains that the operator has entered.
	ConfirmedDomains []string `json:"confirmedDomains" nullable:"false" doc:"Domains that the operator of the server has entered or confirmed"`

	Site SiteSettings `json:"site" doc:"The shop's pages for buyers on this server"`

	DeliveryCharges []order.DeliveryOption `json:"deliveryCharges" nullable:"false" doc:"Delivery charges; empty means free delivery"`

	SupportContact SupportContact `json:"supportContact" doc:"Ways for buyers to reach the shop"`
	LegalPolicies  []LegalPolicy  `json:"legalPolicies" nullable:"false" doc:"Texts that the shop must show"`
	Pages          []TextPage     `json:"pages" nullable:"false" doc:"Further texts of the shop, such as about it, at /pages/SLUG of its site"`
	SocialLinks    []SocialLink   `json:"socialLinks" nullable:"false" doc:"Pages of the shop on social networks"`
	ActiveMode     plugin.Mode    `json:"activeMode" doc:"Defaults to live"`
	AutoConfirm    bool           `json:"autoConfirm" doc:"Confirm cash orders when they are placed"`
	CashRounding   int64          `json:"cashRounding" doc:"Unit of cash totals, in minor units; 0 means 100 in BDT, INR, PKR, LKR and NPR, else 1"`
	Suspended      bool           `json:"suspended" doc:"Closed to buyers; webhooks of providers are still processed"`
	Plan           *plan.Plan     `json:"plan" doc:"Limits of the shop, set by the operator of the server; null means none"`
	Defaults       *Defaults      `json:"defaults" doc:"Set by the operator of the server for all of its shops; null means none"`
	SandboxOf      string         `json:"sandboxOf" doc:"UID of the shop that this one is the sandbox of, set when it is made; empty means none"`
	Suspension     *Suspension    `json:"suspension" doc:"The operator of the server has suspended the shop, and only the operator can open it"`
	Limits         account.Limits `json:"limits" doc:"Limits of failed sign-ins and of text messages; 0 means the default"`

	BuyerMessages message.Settings         `json:"buyerMessages" doc:"Messages to buyers about their orders"`
	Search        catalogue.SearchSettings `json:"search" doc:"Synonyms for the search of products"`
	SetupHidden   bool                     `json:"setupHidden" doc:"Hide the steps of setting up the shop"`

	// See settings_print.go.
	Brand   Brand        `json:"brand" doc:"Name and appearance of the shop"`
	Invoice Invoice      `json:"invoice" doc:"The shop's texts on invoices"`
	Print   PrintOptions `json:"print" doc:"Sizes and language of printed documents"`

	RequireSecondFactor staff.Requirement     `json:"requireSecondFactor" doc:"Members who must sign in with a second factor"`
	ProofOfWork         []account.WorkPurpose `json:"proofOfWork" nullable:"false" doc:"Requests that require a solved challenge"`

	// Limits of orders; see [order.Limits].
	UnitsPerLine        int64 `json:"unitsPerLine" doc:"Maximum units of one variant in an order; 0 means 100"`
	UnitsPerOrder       int64 `json:"unitsPerOrder" doc:"Maximum units of all variants in an order; 0 means 1000"`
	OpenOrdersPerPhone  int64 `json:"openOrdersPerPhone" doc:"Maximum of a guest's unconfirmed cash orders with one phone number; 0 means 5"`
	OpenOrdersPerClient int64 `json:"openOrdersPerClient" doc:"Maximum of unproven buyers' unconfirmed cash orders from one client address; 0 means 20"`
	CODProofAbove       int64 `json:"codProofAbove" doc:"Cash total, in minor units, above which the phone must be verified; 0 means none"`
	CODExpiryHours      int64 `json:"codExpiryHours" doc:"Hours until a guest's unconfirmed cash order expires; 0 means 72"`

	Advance order.AdvanceSettings `json:"advance" doc:"When buyers of cash orders pay in advance, and the wallets that they send it to"`

	CourierRecords bool `json:"courierRecords" doc:"Whether the phone numbers of cash orders are looked up at couriers"`

	IncompleteOrders order.IncompleteSettings `json:"incompleteOrders" doc:"Whether what buyers type without ordering is stored, and the notice"`

	Advertising conversion.Settings `json:"advertising" doc:"Advertisers that receive orders, and the tags of pages, with the buyer's consent only"`

	CashForBadRecords order.CashPolicy `json:"cashForBadRecords" doc:"Whether buyers with a bad record can pay cash on delivery"`

	OrderTokenDays *int64 `json:"orderTokenDays" doc:"Days of an order token's validity from placing the order; null means 365, and 0 no end"`
}

// SiteSettings are the settings of the shop's pages for buyers.
type SiteSettings struct {
	Enabled *bool  `json:"enabled" doc:"Whether the shop has pages on this server; null means true"`
	Host    string `json:"host" doc:"One of domains: the host of the pages, to which the others redirect. Defaults to the first"`

	Announcement string `json:"announcement" doc:"Line above every page, at most 200 characters, or empty"`
}

// IsEnabled reports whether the shop has pages.
func (s SiteSettings) IsEnabled() bool { return s.Enabled == nil || *s.Enabled }

// SupportContact are the ways for buyers to reach the shop.
type SupportContact struct {
	Phone    *string `json:"phone"`
	Email    *string `json:"email"`
	WhatsApp *string `json:"whatsapp"`
	Address  *string `json:"address"`

	// Messenger is the NAME of https://m.me/NAME.
	Messenger *string `json:"messenger" doc:"Name or ID of the Facebook page, as in https://m.me/NAME"`
}

// LegalPolicy is a text that the shop must show.
type LegalPolicy struct {
	Slug     string `json:"slug" doc:"Last part of the page's address"`
	Title    string `json:"title"`
	BodyHTML string `json:"bodyHtml" doc:"Sanitized HTML"`
}

// TextPage is a text of the shop with a page of its own.
type TextPage struct {
	Slug     string `json:"slug" doc:"Last part of the page's address"`
	Title    string `json:"title"`
	BodyHTML string `json:"bodyHtml" doc:"Sanitized HTML"`
}

// maxPages is the maximum number of a shop's pages, and of its policies.
const maxPages = 50

// texts returns the policies and the pages, by their paths in the settings.
func (set *Settings) texts() iter.Seq2[string, *LegalPolicy] {
	return func(yield func(string, *LegalPolicy) bool) {
		for i := range set.LegalPolicies {
			if !yield(fmt.Sprintf("legalPolicies[%d]", i), &set.LegalPolicies[i]) {
				return
			}
		}
		for i := range set.Pages {
			if !yield(fmt.Sprintf("pages[%d]", i), (*LegalPolicy)(&set.Pages[i])) {
				return
			}
		}
	}
}

// SocialLink is a page of the shop on a social network.
type SocialLink struct {
	Platform string `json:"platform"`
	URL      string `json:"url"`
}

func (set *Settings) orderLimits() order.Limits {
	return order.Limits{
		UnitsPerLine: set.UnitsPerLine, UnitsPerOrder: set.UnitsPerOrder,
		OpenOrdersPerPhone:  set.OpenOrdersPerPhone,
		OpenOrdersPerClient: set.OpenOrdersPerClient, CODProofAbove: set.CODProofAbove,
		CODExpiryHours: set.CODExpiryHours,
		OrderTokenDays: set.OrderTokenDays,
	}
}

// forStaff returns the settings that staff members depend on.
func (set *Settings) forStaff() staff.Settings {
	limits := set.Limits.WithDefaults()
	return staff.Settings{
		Name: set.Name, Country: set.Country, RequireSecondFactor: set.RequireSecondFactor,
		WrongPasswords:          limits.WrongPasswords,
		WrongPasswordsPerMember: limits.WrongPasswordsPerAccount,
	}
}

// timeZone returns the name of the shop's time zone.
func (set *Settings) timeZone() string {
	return cmp.Or(set.TimeZone, timezone.Of(set.Country))
}

// language returns the language of messages to buyers.
func (set *Settings) language() locale.Language { return locale.Of(set.Locale) }

// FindSettings returns the shop's settings for staff. Codes: unauthenticated, forbidden.
func (s *Shop) FindSettings(ctx context.Context, caller access.Caller) (*StaffSettings, error) {
	return access.Read(ctx, s.data, caller, access.ToFindSettings,
		func(tx *db.Tx, who access.Staff) (*StaffSettings, error) {
			found, err := findSettings(tx)
			if err != nil {
				return nil, err
			}
			view := staffSettingsFor(who, found)
			view.Inherited, err = s.findInherited(tx, &found)
			return view, err
		})
}
