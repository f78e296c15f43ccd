package site

import (
	"regexp"
	"strconv"
	"strings"

	"storefront/shop/money"
	"storefront/shop/order"
)

// maxShownCharges limits the delivery options in the structured data of a page.
const maxShownCharges = 10

// deliveryRefs returns references to the delivery options for goods of a price, and adds the
// options to the page's structured data.
func (p *productPage) deliveryRefs(price money.Money) []any {
	var refs []any
	charges := p.front.DeliveryCharges
	for i := range charges[:min(len(charges), maxShownCharges)] {
		charge := chargeFor(&charges[i], price)
		id := "#delivery-" + strconv.Itoa(i+1)
		if charge.Amount != charges[i].Charge.Amount {
			id += "-free"
		}
		refs = append(refs, map[string]any{"@id": id})
		if !p.described[id] {
			p.described[id] = true
			p.Structured = append(p.Structured, p.shippingDetails(id, &charges[i], charge))
		}
	}
	return refs
}

// shippingDetails returns a delivery option.
func (f *frame) shippingDetails(id string, c *order.DeliveryCharge, charge money.Money) map[string]any {
	var places []any
	for _, country := range f.countries(c) {
		place := map[string]any{"@type": "DefinedRegion", "addressCountry": country}
		if len(c.Areas) > 0 {
			place["addressRegion"] = c.Areas
		}
		places = append(places, place)
	}
	data := map[string]any{
		"@context": schemaOrg, "@type": "OfferShippingDetails", "@id": id, "shippingDestination": places,
		"shippingRate": map[string]any{"@type": "MonetaryAmount", "value": decimal(charge, f.Currency), "currency": f.Currency.Code},
	}
	if c.Estimate != nil {
		if from, to, ok := daysIn(*c.Estimate); ok {
			data["deliveryTime"] = map[string]any{
				"@type": "ShippingDeliveryTime",
				"transitTime": map[string]any{
					"@type": "QuantitativeValue", "minValue": from, "maxValue": to, "unitCode": "DAY",
				},
			}
		}
	}
	return data
}

// returnsRef returns a reference to the policy of returns, nil if the shop has none, and adds the
// policy to the page's structured data.
func (p *productPage) returnsRef() any {
	policy := p.returnPolicy()
	if policy == nil {
		return nil
	}
	const id = "#returns"
	if !p.described[id] {
		p.described[id] = true
		policy["@context"], policy["@id"] = schemaOrg, id
		p.Structured = append(p.Structured, policy)
	}
	return map[string]any{"@id": id}
}

// returnPolicy returns the policy of returns, nil if the shop has none. It has the days that buyers
// have only if the policy states one number of them: a wrong promise is worse than none.
func (f *frame) returnPolicy() map[string]any {
	at := f.returnPolicyAt()
	if at < 0 {
		return nil
	}
	data := map[string]any{
		"@type": "MerchantReturnPolicy", "applicableCountry": f.front.Country, "merchantReturnLink": f.at + f.Policies[at].Path,
	}
	if days := returnDays(textOf(f.front.LegalPolicies[at].BodyHTML)); days > 0 {
		data["returnPolicyCategory"], data["merchantReturnDays"] = schemaOrg+"/MerchantReturnFiniteReturnWindow", days
	}
	return data
}

// returnPolicyAt returns the index of the policy of returns; -1 means none.
func (f *frame) returnPolicyAt() int {
	for i, policy := range f.front.LegalPolicies {
		if strings.Contains(policy.Slug, "return") || strings.Contains(policy.Slug, "refund") {
			return i
		}
	}
	return -1
}

var (
	dayRange     = regexp.MustCompile(`(?i)(\d+)(?:\s*(?:-|–|—|to|থেকে)\s*(\d+))?\s*(?:working |business |কর্ম)?(?:days?\b|দিন)`)
	returnWithin = regexp.MustCompile(`(?i)(?:within|in) (\d+) (?:calendar )?days?\b|(\d+) দিনের মধ্যে`)
)

// daysIn returns the days of an estimate such as "1–2 days".
func daysIn(estimate string) (from, to int, ok bool) {
	found := dayRange.FindStringSubmatch(latinDigits(estimate))
	if found == nil {
		return 0, 0, false
	}
	from, errFrom := strconv.Atoi(found[1])
	to = from
	if found[2] != "" {
		to, _ = strconv.Atoi(found[2]) // digits; 0 if there are too many
	}
	return from, to, errFrom == nil && from <= to
}

// returnDays returns the days in which goods can be returned by a policy, 0 if it is not certain.
func returnDays(policy string) int {
	days := 0
	for _, found := range returnWithin.FindAllStringSubmatch(latinDigits(policy), -1) {
		n, err := strconv.Atoi(found[1] + found[2])
		if err != nil || days != 0 && days != n {
			return 0
		}
		days = n
	}
	return days
}

// latinDigits returns a text with Bangla digits as ASCII digits.
func latinDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '০' && r <= '৯' {
			return '0' + r - '০'
		}
		return r
	}, text)
}
