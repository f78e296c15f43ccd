package productfile

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"storefront/shop/input"
	"storefront/shop/timezone"
)

// wooVariation is a variation of a product, or the only variant of a simple one.
type wooVariation struct {
	Variant
	position int
	values   map[string]string // by the folded name of the attribute; "" stands for any value
	shared   bool              // uses the stock of the product
}

// readVariation reads the columns that a product without variations and a variation share.
func (s *wooSource) readVariation() wooVariation {
	v := wooVariation{values: map[string]string{}}
	v.position, _ = strconv.Atoi(strings.TrimSpace(s.at(s.woo.position))) // "" is 0
	v.Variant = Variant{
		Line: s.line(), SKU: s.number(ColSKU), Barcode: s.number(ColBarcode),
		LowStock: s.integer(ColLowStock), Cost: s.amount(ColCost),
		WeightGrams: s.grams(ColGrams, s.cell(ColGrams), s.weightUnit),
	}
	if urls := s.urls(); len(urls) > 0 {
		v.ImageURL = urls[0]
	}
	switch text := strings.ToLower(strings.TrimSpace(s.cell(ColPolicy))); text {
	case "1", "notify", "yes":
		v.Backorder = true
	case "0", "no", "":
	default:
		s.addProblem(ColPolicy, ProblemNotAllowed, "Must be 1, 0 or notify.")
	}
	s.readStock(&v)
	return v
}

func (s *wooSource) readStock(v *wooVariation) {
	text := input.Fold(strings.ToLower(strings.TrimSpace(s.cell(ColStock))))
	inStock := strings.ToLower(strings.TrimSpace(s.at(s.woo.inStock)))
	switch {
	case text == "parent":
		v.shared = true
	case text != "":
		quantity, err := strconv.ParseFloat(text, 64)
		_, fraction, _ := strings.Cut(text, ".")
		if err != nil || len(fraction) == 3 || math.IsNaN(quantity) ||
			math.Abs(quantity) > MaxCount {
			s.addProblem(ColStock, ProblemNotAllowed, "Must be a number of units, or parent.")
			return
		}
		units := int(math.Floor(quantity))
		if float64(units) != quantity {
			s.addNote(ColStock, NoteStockRaised, "The stock %s becomes %d: stock is counted in whole units.",
				text, units)
		}
		v.Tracked, v.Stock = true, &units
	case inStock == "0" || inStock == "outofstock":
		v.Tracked, v.Stock = true, new(0)
	}
}

// shareStock assigns the stock of a product to the first variation without a stock.
func (s *wooSource) shareStock(own *wooVariation, variations []wooVariation, line int) {
	if own.Stock == nil {
		return
	}
	first := true
	for i := range variations {
		v := &variations[i]
		if !v.shared && v.Stock != nil {
			continue
		}
		v.Tracked, v.Backorder, v.Stock = true, own.Backorder, new(0)
		if first {
			first = false
			*v.Stock = *own.Stock
			s.Findings.Note(Place{line, s.file.header[ColStock]}, NoteStockShared,
				"The stock %d belongs to all variations: the first one receives it, "+
					"and the others have none. Distribute it.",
				*own.Stock)
		}
	}
}

// readPrice reads the price of the current row. ok is false if it has none.
func (s *wooSource) readPrice(v *Variant) (ok bool) {
	regular, sale := s.amount(ColPrice), s.amount(ColComparePrice)
	if s.columns[ColPrice] < 0 {
		regular, sale = sale, nil
	}
	starts := s.date(s.woo.saleStarts, "Date sale price starts")
	ends := s.date(s.woo.saleEnds, "Date sale price ends")
	switch {
	case regular == nil && sale == nil:
		return strings.TrimSpace(s.cell(ColPrice)) != "" ||
			strings.TrimSpace(s.cell(ColComparePrice)) != "" // an invalid one, which is a problem
	case regular == nil:
		v.Price = *sale
	case sale == nil || *sale >= *regular:
		v.Price = *regular
	case starts != nil && starts.After(s.Now), ends != nil && !s.Now.Before(endOfSale(*ends)):
		v.Price = *regular
		s.addNote(ColComparePrice, NoteSaleChanged,
			"The sale price %s does not apply today and is not imported.", s.Currency.Decimal(*sale))
	default:
		v.Price, v.CompareAtPrice = *sale, regular
		if ends != nil {
			s.addNote(ColComparePrice, NoteSaleChanged,
				"The sale price %s has no end here; in WooCommerce it ends on %s.", s.Currency.Decimal(*sale),
				ends.Format(time.DateOnly))
		}
	}
	return true
}

// endOfSale returns when a sale is over that ends at a time, or with a day.
func endOfSale(ends time.Time) time.Time {
	if ends.Equal(timezone.StartOfDay(ends, 0)) {
		return timezone.StartOfDay(ends, 1)
	}
	return ends
}

// date parses a time; without an offset it is of the shop's time zone.
func (s *wooSource) date(index int, name string) *time.Time {
	text := strings.TrimSpace(s.at(index))
	if text == "" {
		return nil
	}
	if at, ok := s.localTime(text); ok {
		return &at
	}
	for _, form := range timeForms {
		if at, err := time.Parse(form, text); err == nil {
			at = at.In(s.Now.Location())
			return &at
		}
	}
	s.Findings.Add(Place{s.lineOf(index), name}, ProblemNotDate, "Must be a date such as 2026-03-26.")
	return nil
}

// wooValues is an attribute of a row.
type wooValues struct {
	key, name string
	values    []string
}

func (s *wooSource) readAttributes() []wooValues {
	var attributes []wooValues
	for _, columns := range s.attributes {
		name := s.text(s.at(columns.name))
		if name == "" {
			continue
		}
		values, ok := s.list(s.at(columns.values))
		if !ok {
			s.problemListed(OptionValue(0))
		}
		attributes = append(attributes, wooValues{input.FoldKey(name), name, values})
	}
	return attributes
}

// noteLostAttributes adds a note about attributes that no variation has.
func (s *wooSource) noteLostAttributes(attributes []wooValues, used map[string]bool) {
	var lost []string
	for _, a := range attributes {
		if !used[a.key] {
			lost = append(lost, a.name)
		}
	}
	if len(lost) > 0 {
		s.Findings.Note(Place{s.line(), s.file.header[ColOption1Name]}, NoteAttributeLost,
			"Attributes without variations are not imported: %s. Add them to the description.",
			strings.Join(lost, ", "))
	}
}

// anyValue is the value of an option for a variation of any value of an attribute without values.
const anyValue = "Any"

// addVariants adds the variants of the variations. A variation for any value of an attribute
// becomes one variant for each value without a variation.
func (s *wooSource) addVariants(
	product *Product, attributes []wooValues, variations []wooVariation,
) {
	exact := map[string]bool{}
	for _, a := range attributes {
		product.Options = append(product.Options, a.name)
	}
	for _, v := range variations {
		if isSplit(attributes, v.values) {
			continue
		}
		if combinations := combine(attributes, v.values); len(combinations) == 1 {
			exact[strings.Join(combinations[0], "\x00")] = true
		}
	}
	for _, v := range variations {
		combinations := combine(attributes, v.values)
		split := len(combinations) > 1
		if split {
			combinations = slices.DeleteFunc(combinations,
				func(values []string) bool { return exact[strings.Join(values, "\x00")] })
			format := "The variation applies to any value: a variant is created for each of %d values."
			if v.Stock != nil && *v.Stock > 0 {
				format += " The first one receives the stock. Distribute it."
			}
			s.Findings.Note(Place{v.Line, s.file.header[ColOption1Value]}, NoteVariantsAdded, format,
				len(combinations))
		}
		for n, values := range combinations {
			variant := v.Variant
			variant.Options = append(
				slices.Clone(values),
				make([]string, max(0, MaxOptions-len(values)))...)
			if split {
				exact[strings.Join(values, "\x00")] = true
				if n > 0 && variant.Stock != nil {
					variant.Stock = new(0)
				}
			}
			product.Variants = append(product.Variants, variant)
			if len(product.Variants) > MaxVariants {
				return // rejected by the rules of products
			}
		}
	}
}

// isSplit reports whether a variation applies to several values of an attribute.
func isSplit(attributes []wooValues, values map[string]string) bool {
	return slices.ContainsFunc(attributes,
		func(a wooValues) bool { return values[a.key] == "" && len(a.values) > 1 })
}

// combine returns the values of the options of a variation, or of several variants if it applies to
// any value of an attribute.
func combine(attributes []wooValues, values map[string]string) [][]string {
	combinations := [][]string{{}}
	for _, a := range attributes {
		choices := []string{values[a.key]}
		if choices[0] == "" {
			if choices = a.values; len(choices) == 0 {
				choices = []string{anyValue}
			}
		}
		var longer [][]string
		for _, before := range combinations {
			for _, choice := range choices {
				longer = append(longer, append(slices.Clone(before), choice))
			}
			if len(longer) > MaxVariants {
				break
			}
		}
		combinations = longer
	}
	return combinations
}
