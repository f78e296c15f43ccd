package productfile

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/timezone"
)

func (p *parser) url(c Column) string { return p.cleanURL(c, p.cell(c)) }

// cleanURL completes and escapes a URL as browsers do.
func (p *parser) cleanURL(c Column, text string) string {
	url := strings.TrimSpace(text)
	clean := cleanURL(url)
	if clean != url {
		p.addNote(c, NoteURLChanged, "The URL %s becomes %s.", url, clean)
	}
	return clean
}

var urlEscaper = strings.NewReplacer(" ", "%20", "\"", "%22", "<", "%3C", ">", "%3E", "\\", "/")

// cleanURL returns a URL with a scheme and without spaces.
func cleanURL(url string) string {
	if strings.HasPrefix(url, "//") {
		url = "https:" + url
	}
	if strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://") {
		url = urlEscaper.Replace(url)
	}
	return url
}

// quotedNumber is a number with the apostrophe that Shopify writes before it, because a spreadsheet
// would drop leading zeros and round long numbers.
var quotedNumber = regexp.MustCompile(`^'+\d+$`)

// guardNumber adds an apostrophe to one that is part of a stored text, so that an import restores
// it.
func guardNumber(cell string) string {
	if quotedNumber.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// number returns a cell without the apostrophe before a number.
func (p *parser) number(c Column) string {
	text := strings.TrimSpace(p.cell(c))
	if input.IsScientific(text) {
		p.addNote(c, NoteDigitsLost,
			"The number %s has lost digits in a spreadsheet: enter it again, in a column of texts.", text)
	}
	if !quotedNumber.MatchString(text) {
		return p.cell(c)
	}
	p.Findings.Apostrophes++
	return text[1:]
}

// boolean parses a cell; blank is the value of an empty one.
func (p *parser) boolean(c Column, blank bool) bool {
	switch strings.ToLower(strings.TrimSpace(p.cell(c))) {
	case "":
		return blank
	case "true", "yes", "1":
		return true
	case "false", "no", "0":
	default:
		p.addProblem(c, ProblemNotBoolean, "Must be TRUE or FALSE.")
	}
	return false
}

// policy reports whether the variant may be sold below zero.
func (p *parser) policy() bool {
	switch strings.ToLower(strings.TrimSpace(p.cell(ColPolicy))) {
	case "continue", "true":
		return true
	case "deny", "false", "":
	default:
		p.addProblem(ColPolicy, ProblemNotAllowed, "Must be deny or continue.")
	}
	return false
}

func (p *parser) amount(c Column) *int64 {
	text := input.Fold(strings.TrimSpace(p.cell(c)))
	if text == "" {
		return nil
	}
	amount, ok := p.Currency.Parse(text)
	if !ok {
		p.addProblem(c, ProblemNotAmount,
			"Must be an amount in %s such as %s, with at most %d decimals after a point.", p.Currency.Code,
			p.Currency.Decimal(125000), p.Currency.Digits)
		return nil
	}
	return &amount
}

// integer parses a whole number. Zero decimals are ignored, because spreadsheets add them.
func (p *parser) integer(c Column) *int {
	text := input.Fold(strings.TrimSpace(p.cell(c)))
	if text == "" {
		return nil
	}
	n, ok := parseWhole(text)
	if !ok {
		p.addProblem(c, ProblemNotWhole, "Must be a whole number.")
		return nil
	}
	return &n
}

func parseWhole(text string) (n int, ok bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) == 3 { // 1.000 is a thousand if a dot separates thousands
		return 0, false
	}
	n, err := strconv.Atoi(whole)
	return n, err == nil && strings.Trim(fraction, "0") == ""
}

// stock parses the quantity of the variant, or adds up the quantities of its locations.
func (p *parser) stock() *int {
	if len(p.locations) == 0 {
		return p.integer(ColStock)
	}
	var sum *int
	for _, i := range p.locations {
		text := input.Fold(strings.TrimSpace(p.at(i)))
		if text == "" || strings.EqualFold(text, "not stocked") {
			continue
		}
		n, ok := parseWhole(text)
		if !ok {
			p.Findings.Add(Place{p.lineOf(i), locationName}, ProblemNotWhole, "Must be a whole number.")
			continue
		}
		if sum == nil {
			sum = new(int)
		}
		*sum += n
	}
	return sum
}

// quantityPrice is one entry of a cell of quantity prices. A spreadsheet would read 2:1100 as a
// time.
var quantityPrice = regexp.MustCompile(`(?i)^(\d{1,9})\s+for\s+(.+)$`)

// quantityPrices parses a cell such as 2 for 1100.00; 3 for 1500.00.
func (p *parser) quantityPrices() (prices []QuantityPrice) {
	cell := input.Fold(strings.TrimSpace(p.cell(ColQuantityPrices)))
	if cell == "" {
		return nil
	}
	for entry := range strings.SplitSeq(cell, quantityPriceSeparator) {
		match := quantityPrice.FindStringSubmatch(strings.TrimSpace(entry))
		if match == nil || len(prices) == maxListed {
			p.problemQuantityPrices()
			return nil
		}
		price, ok := p.Currency.Parse(match[2])
		if !ok {
			p.problemQuantityPrices()
			return nil
		}
		quantity, _ := strconv.Atoi(match[1]) // at most nine digits
		prices = append(prices, QuantityPrice{quantity, price})
	}
	return prices
}

func (p *parser) problemQuantityPrices() {
	p.addProblem(ColQuantityPrices, ProblemCode(fault.CodeInvalidValue),
		"Must be quantities and their prices such as 2 for %s; 3 for %s.", p.Currency.Decimal(110000),
		p.Currency.Decimal(150000))
}

// The units of Variant Weight and of WooCommerce's Weight, in grams.
var gramsPer = map[string]float64{
	"": 1, "g": 1, "gram": 1, "grams": 1, "kg": 1000, "lb": 453.59237, "lbs": 453.59237,
	"oz": 28.349523125,
}

// weight parses the weight of the variant.
func (p *parser) weight() int {
	if p.columns[ColGrams] >= 0 || p.columns[ColWeight] < 0 {
		return p.grams(ColGrams, p.cell(ColGrams), "g")
	}
	return p.grams(ColWeight, p.cell(ColWeight), p.cell(ColWeightUnit))
}

// grams parses a weight in a unit and rounds it to whole grams.
func (p *parser) grams(c Column, text, unit string) int {
	text = input.Fold(strings.TrimSpace(text))
	if text == "" {
		return 0
	}
	factor, known := gramsPer[strings.ToLower(strings.TrimSpace(unit))]
	if !known {
		p.addProblem(c, ProblemWeightUnit, "The unit of the weight must be g, kg, lb or oz.")
		return 0
	}
	weight, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(weight) || weight < 0 || weight*factor > MaxCount {
		p.addProblem(c, ProblemWeight, "Must be a number from 0 to %d grams.", MaxCount)
		return 0
	}
	exact := weight * factor
	grams := int(math.Round(exact))
	if math.Abs(exact-float64(grams)) > 1e-6 {
		p.addNote(c, NoteWeightRounded, "The weight %s %s is rounded to %d g.", text,
			cmp.Or(strings.TrimSpace(unit), "g"), grams)
	}
	return grams
}

// The forms of times in files. The last ones have no offset. Days are read by localTime.
var (
	timeForms = []string{
		time.RFC3339, "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST", "2006-01-02T15:04:05-0700",
	}
	localTimeForms = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04"}
)

func (p *parser) time(c Column) *time.Time {
	text := strings.TrimSpace(p.cell(c))
	if text == "" {
		return nil
	}
	for _, form := range timeForms {
		if at, err := time.Parse(form, text); err == nil {
			return &at
		}
	}
	if at, ok := p.localTime(text); ok {
		p.addNote(c, NoteTimeAssumed, "The time %s has no offset and is read in the time zone %s.", text,
			p.Now.Location())
		return &at
	}
	p.addProblem(c, ProblemNotTime, "Must be a time such as 2026-03-26T09:00:00+06:00.")
	return nil
}

// localTime parses a day, or a time without an offset, in the shop's time zone.
func (p *parser) localTime(text string) (at time.Time, ok bool) {
	zone := p.Now.Location()
	if day, err := timezone.ParseDay(text, zone); err == nil {
		return day, true
	}
	for _, form := range localTimeForms {
		if at, err := time.ParseInLocation(form, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// object returns the JSON object of a cell, or "".
func (p *parser) object(c Column) string {
	text := strings.TrimSpace(p.cell(c))
	if text == "" {
		return ""
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil || dec.More() {
		p.addProblem(c, ProblemNotJSON, "Must be a JSON object.")
		return ""
	}
	return text
}
