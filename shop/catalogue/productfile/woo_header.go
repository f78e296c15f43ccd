package productfile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// wooColumns are the indexes of the columns that other exports do not have; -1 if the file lacks
// one.
type wooColumns struct {
	id, kind, short, visibility, saleStarts, saleEnds, inStock, parent, position, slug int
}

// wooAttributeColumns are the columns "Attribute 1 name" and "Attribute 1 value(s)".
type wooAttributeColumns struct{ name, values int }

// wooNames are the columns with the same meaning as one of columnNames.
var wooNames = map[string]Column{
	"name": ColTitle, "description": ColBody, "sku": ColSKU, "gtin, upc, ean, or isbn": ColBarcode,
	"gtin":      ColBarcode,
	"published": ColPublished, "stock": ColStock, "low stock amount": ColLowStock,
	"backorders allowed?": ColPolicy,
	"sale price":          ColComparePrice, "regular price": ColPrice, "categories": ColCollections,
	"tags": ColTags, "images": ColImageURL,
	"brands": ColVendor, "cost of goods": ColCost, "meta: _wc_cog_cost": ColCost,
	"meta: _cogs_total_value": ColCost,
}

var (
	wooAttribute = regexp.MustCompile(`^attribute (\d+) (name|value\(s\))$`)
	wooDetails   = regexp.MustCompile(`^attribute \d+ (visible|global|default)$`)
	wooWeight    = regexp.MustCompile(`^weight(?: \(([a-z]+)\))?$`)
)

// isWooHeader reports whether a header belongs to a WooCommerce export.
func isWooHeader(header []string) bool {
	has := map[string]bool{}
	for _, name := range header {
		has[strings.ToLower(name)] = true
	}
	if has["handle"] || has["url handle"] || has["title"] || !has["name"] {
		return false
	}
	return has["regular price"] || has["type"] && (has["sku"] || has["id"] || has["parent"])
}

// readHeader finds the columns. ok is false if one occurs twice.
func (s *wooSource) readHeader(header []string) (ok bool) {
	for c := range s.columns {
		s.columns[c] = -1
	}
	only := map[string]*int{
		"id": &s.woo.id, "type": &s.woo.kind, "short description": &s.woo.short,
		"visibility in catalog":   &s.woo.visibility,
		"visibility in catalogue": &s.woo.visibility, "date sale price starts": &s.woo.saleStarts,
		"date sale price ends": &s.woo.saleEnds,
		"in stock?":            &s.woo.inStock, "parent": &s.woo.parent, "position": &s.woo.position,
		"slug": &s.woo.slug,
	}
	for _, index := range only {
		*index = -1
	}
	ok = true
	attributes := map[int]*wooAttributeColumns{}
	set := func(index *int, i int, name string) {
		if *index >= 0 {
			s.Findings.Add(Place{s.line(), name}, ProblemColumnTwice,
				"The column occurs twice: remove one of the two.")
			ok = false
		}
		*index = i
	}
	for i, name := range header {
		key := strings.ToLower(name)
		if c, found := wooNames[key]; found {
			set(&s.columns[c], i, name)
			s.file.header[c] = name
			continue
		}
		if index := only[key]; index != nil {
			set(index, i, name)
			continue
		}
		if match := wooWeight.FindStringSubmatch(key); match != nil {
			set(&s.columns[ColGrams], i, name)
			s.file.header[ColGrams], s.weightUnit = name, match[1]
			continue
		}
		if match := wooAttribute.FindStringSubmatch(key); match != nil {
			n, err := strconv.Atoi(match[1])
			if err != nil {
				continue // a number of more than 18 digits
			}
			if attributes[n] == nil {
				attributes[n] = &wooAttributeColumns{-1, -1}
			}
			if match[2] == "name" {
				set(&attributes[n].name, i, name)
			} else {
				set(&attributes[n].values, i, name)
			}
			continue
		}
		if name != "" && !wooDetails.MatchString(key) {
			s.file.Ignored = append(s.file.Ignored, name)
		}
	}
	numbers := make([]int, 0, len(attributes))
	for n := range attributes {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		s.attributes = append(s.attributes, *attributes[n])
	}
	s.ignoreCosts()
	s.setFields()
	return ok
}

// setFields derives the fields of the file from its columns.
func (s *wooSource) setFields() {
	has, header := &s.file.Has, &s.file.header
	for c, i := range s.columns {
		has[c] = i >= 0
	}
	same := func(from Column, to ...Column) {
		for _, c := range to {
			has[c], header[c] = has[from], header[from]
		}
	}
	has[ColHandle], header[ColHandle] = true, "Name"
	has[ColBody] = has[ColBody] || s.woo.short >= 0
	same(ColPublished, ColStatus)
	has[ColPrice] = has[ColPrice] || has[ColComparePrice]
	has[ColComparePrice] = has[ColPrice]
	has[ColStock] = has[ColStock] || s.woo.inStock >= 0
	has[ColTracker] = has[ColStock]
	same(ColImageURL, ColVariantImage)
	for i := range MaxOptions {
		has[OptionName(i)], has[OptionValue(i)] = true, true
		header[OptionName(i)], header[OptionValue(i)] = fmt.Sprintf("Attribute %d name",
			i+1), fmt.Sprintf(
			"Attribute %d value(s)",
			i+1,
		)
	}
	for c, name := range map[Column]string{
		ColTitle: "Name", ColBody: "Description", ColSKU: "SKU", ColStock: "Stock",
		ColPrice: "Regular price", ColComparePrice: "Sale price",
		ColPublished: "Published", ColStatus: "Published", ColImageURL: "Images",
		ColVariantImage: "Images", ColTracker: "Stock",
	} {
		if header[c] == "" {
			header[c] = name
		}
	}
	for c, names := range columnNames {
		if header[c] == "" && names != nil {
			header[c] = names[0]
		}
	}
}
