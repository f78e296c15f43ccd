package check

import (
	"encoding/json"
	"net/url"
)

// checkStructured checks the data for search engines on the page of a product, and returns the IDs
// of the variants that it offers.
func (c *checker) checkStructured(path string, d *document) (offers map[string]bool) {
	offers = map[string]bool{}
	crumbs := false
	for _, source := range d.structured {
		var data any
		if err := json.Unmarshal([]byte(source), &data); err != nil {
			c.add(WrongData, path, "The data for search engines cannot be read: %v.", err)
			continue
		}
		walk(data, func(object map[string]any) {
			switch object["@type"] {
			case "BreadcrumbList":
				crumbs = true
			case "Product":
				if object["name"] == nil || object["offers"] == nil {
					c.add(WrongData, path, "Products must have a name and an offer in the data for search engines.")
				}
				if object["image"] == nil {
					c.add(MissingPicture, path, "The product has no picture: search engines and catalogues do not show it.")
				}
			case "Offer":
				c.checkOffer(path, object, offers)
			}
		})
	}
	if !crumbs {
		c.add(WrongData, path, "The path to the page is missing in the data for search engines.")
	}
	return offers
}

// walk calls fn with each object in a value.
func walk(value any, fn func(map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		fn(v)
		for _, child := range v {
			walk(child, fn)
		}
	case []any:
		for _, child := range v {
			walk(child, fn)
		}
	}
}

// checkOffer compares an offer with the catalogue.
func (c *checker) checkOffer(path string, offer map[string]any, offers map[string]bool) {
	address, _ := offer["url"].(string)
	at, err := url.Parse(address)
	if err != nil {
		c.add(WrongData, path, "The address %q of an offer is invalid.", address)
		return
	}
	id := at.Query().Get("variant")
	offers[id] = true
	v, ok := c.variants[id]
	if price, _ := offer["price"].(string); !ok || price != v.price || offer["priceCurrency"] != v.currency {
		c.add(WrongPrice, path, "The data for search engines has the price %s of the variant %s; the catalogue has %s.", price, id, v.price)
	}
	if offer["availability"] == nil || offer["itemCondition"] == nil {
		c.add(WrongData, path, "Offers must have an availability and a condition.")
	}
}
