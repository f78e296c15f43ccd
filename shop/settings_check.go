package shop

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/staff"
	"storefront/shop/timezone"
)

// maxCashRounding limits the setting cashRounding: the largest banknotes of some currencies.
const maxCashRounding = 1_000_000

var localePattern = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// check checks the settings by themselves. It adds errors in the order of the fields.
func (set *Settings) check(bad *fault.Invalid) {
	set.checkShop(bad)
	set.checkURLs(bad)
	if set.CashRounding < 0 || set.CashRounding > maxCashRounding {
		bad.Add(
			"cashRounding", fault.CodeInvalidValue,
			"Must be an amount in minor units, 1 to %d, or 0 for the default of the currency.",
			maxCashRounding,
		)
	}
	set.orderLimits().Check(bad)
	set.checkDomains(bad)
	set.checkSite(bad)
	set.checkPrint(bad)
	set.Limits.Check(bad)
	set.BuyerMessages.Check(bad)
	set.checkChoices(bad)
	set.checkDeliveryCharges(bad)
	set.Advance.Check(bad, set.DeliveryCharges)
	set.IncompleteOrders.Check(bad)
	set.Advertising.Check(bad, "advertising")
	for i, l := range set.SocialLinks {
		if !input.IsWebURL(l.URL) {
			bad.Add(
				fmt.Sprintf("socialLinks[%d].url", i), fault.CodeInvalidValue, "Must be an http or https URL.",
			)
		}
	}
}

// maxLine limits the characters of a setting of one line, such as the name of the shop.
const maxLine = 200

// checkTexts checks the policies and pages.
func (set *Settings) checkTexts(bad *fault.Invalid) {
	if len(set.LegalPolicies) > maxPages || len(set.Pages) > maxPages {
		bad.Add("pages", fault.CodeInvalidValue, "Must not be more than %d pages and as many policies.", maxPages)
	}
	known := map[string]bool{}
	for path, text := range set.texts() {
		text.Title = input.CheckLine(bad, path+".title", text.Title, maxLine)
		list, _, _ := strings.Cut(path, "[")
		switch slug := list + " " + text.Slug; {
		case !isSlug(text.Slug):
			bad.Add(path+".slug", fault.CodeInvalidValue, "Must be 1 to %d letters, digits and hyphens, such as about-us.", maxSlug)
		case known[slug]:
			bad.Add(path+".slug", fault.CodeInvalidValue, "Another text has this slug.")
		default:
			known[slug] = true
		}
	}
}

// maxSlug is the maximum length of a slug, in characters.
const maxSlug = 120

// isSlug reports whether a text can be a part of an address without encoding, in any script.
func isSlug(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= maxSlug && !strings.ContainsFunc(text, func(r rune) bool {
		return r != '-' && r != '_' && !unicode.In(r, unicode.L, unicode.M, unicode.N)
	})
}

// checkShop checks the shop's name, its place and its mode.
func (set *Settings) checkShop(bad *fault.Invalid) {
	set.Name = input.CheckLine(bad, "name", set.Name, maxLine)
	if set.Suspension != nil {
		set.Suspension.Check(bad)
	}
	if set.Plan != nil {
		set.Plan.Check(bad, "plan.")
	}
	if set.Defaults != nil {
		set.Defaults.check(bad)
	}
	if input.IsBlank(&set.Name) {
		bad.Add("name", fault.CodeInvalidValue, "The name must be 1 to %d characters.", maxLine)
	}
	set.checkTexts(bad)
	for i := range set.SocialLinks {
		l := &set.SocialLinks[i]
		l.Platform = input.CheckLine(bad, fmt.Sprintf("socialLinks[%d].platform", i), l.Platform, maxLine)
	}
	if _, ok := money.ParseCurrency(set.Currency); !ok {
		bad.Add("currency", fault.CodeInvalidValue, "Must be an ISO 4217 currency code such as BDT.")
	}
	if !input.IsCountry(set.Country) {
		bad.Add(
			"country", fault.CodeInvalidValue, "Must be an ISO 3166 country code of two letters such as BD.",
		)
	}
	if set.Locale != "" && !localePattern.MatchString(set.Locale) {
		bad.Add("locale", fault.CodeInvalidValue, "Must be a language tag such as en-BD.")
	}
	if set.SecondLocale != "" && !localePattern.MatchString(set.SecondLocale) {
		bad.Add("secondLocale", fault.CodeInvalidValue, "Must be a language tag such as bn, or empty.")
	}
	if _, err := timezone.Find(set.timeZone()); err != nil {
		bad.Add(
			"timeZone", fault.CodeInvalidValue, "Must be the name of a time zone such as Asia/Dhaka or UTC.",
		)
	}
	set.checkMode(bad)
}

func (set *Settings) checkMode(bad *fault.Invalid) {
	switch {
	case set.ActiveMode != plugin.Live && set.ActiveMode != plugin.Sandbox:
		bad.Add("activeMode", fault.CodeInvalidValue, "Must be live or sandbox.")
	case set.SandboxOf != "" && set.ActiveMode != plugin.Sandbox:
		bad.Add("activeMode", fault.CodeInvalidValue, "Must be sandbox: this shop is the sandbox of another.")
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
		if u, err := url.Parse(origin); err != nil || !input.IsWebURL(origin) || u.Path != "" ||
			u.RawQuery != "" {
			bad.Add(fmt.Sprintf("origins[%d]", i), fault.CodeInvalidValue,
				"Must be a scheme and a host, such as https://shop.example.")
		}
	}
}

// checkSite checks the settings of the shop's pages.
func (set *Settings) checkSite(bad *fault.Invalid) {
	if set.Site.Host != "" && !slices.Contains(set.Domains, set.Site.Host) {
		bad.Add("site.host", fault.CodeInvalidValue, "Must be one of the shop's domains, or empty.")
	}
	set.Site.Announcement = input.CheckLine(bad, "site.announcement", set.Site.Announcement, maxLine)
}

// isMediaURL reports whether uploaded images can be served below a URL.
func isMediaURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && input.IsWebURL(text) && u.Scheme == "https" && u.RawQuery == "" &&
		u.Fragment == ""
}

// checkChoices checks the settings with a fixed list of values.
func (set *Settings) checkChoices(bad *fault.Invalid) {
	if set.RequireSecondFactor != "" &&
		!slices.Contains(staff.Requirements(), set.RequireSecondFactor) {
		bad.Add("requireSecondFactor", fault.CodeInvalidValue, "Must be none, owners or everyone.")
	}
	if set.CashForBadRecords != "" && set.CashForBadRecords != order.CashAllow &&
		set.CashForBadRecords != order.CashRefuse {
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
			bad.Add(
				at+"._id", fault.CodeInvalidValue,
				"The _id of each delivery charge must be unique and not empty.",
			)
		}
		seen[d.ID] = true
		if slices.ContainsFunc(d.Countries, func(code string) bool { return !input.IsCountry(code) }) {
			bad.Add(
				at+".countries", fault.CodeInvalidValue,
				"Must be ISO 3166 country codes of two letters such as BD.",
			)
		}
	}
}
