package shop

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/district"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/phone"
)

// maxMessage is the maximum length of a message to parse, in characters.
const maxMessage = 5000

// ParsedOrder is what a buyer's message says about an order. Staff check it before they place one.
type ParsedOrder struct {
	Customer        OrderCustomerInput `json:"customer"`
	ShippingAddress account.Address    `json:"shippingAddress"`
	Quantities      []ParsedQuantity   `json:"quantities" nullable:"false"`
}

// ParsedQuantity is a quantity in a message, with the words around it.
type ParsedQuantity struct {
	Quantity int    `json:"quantity"`
	Text     string `json:"text" doc:"The rest of its line, such as a product's title"`
}

// ParseOrder parses a message in which a buyer orders by chat: digits of any script, a phone number
// of the shop's country, quantities, a name. The rest is the address. Nothing is stored. Codes:
// validation_failed.
func (s *Shop) ParseOrder(ctx context.Context, caller access.Caller, text string) (*ParsedOrder, error) {
	who, err := s.requireStaff(ctx, caller, access.ToParseOrder)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	text = input.CheckNote(&bad, "text", text, maxMessage)
	if text == "" {
		bad.Add("text", fault.CodeRequired, "The message is required.")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.data.ViewAs(ctx, who, func(context.Context, *db.Tx) error { return nil }); err != nil {
		return nil, err
	}
	return parseMessage(text, set.Country), nil
}

// Words before a colon that name what follows, in English and Bangla.
var (
	nameLabels    = []string{"name", "customer name", "নাম", "আমার নাম"}
	addressLabels = []string{"address", "full address", "delivery address", "ঠিকানা", "পূর্ণ ঠিকানা"}
	phoneLabels   = []string{"phone", "mobile", "number", "contact", "phone number", "mobile number", "phone no", "mobile no", "মোবাইল", "ফোন",
		"নাম্বার", "মোবাইল নাম্বার", "ফোন নাম্বার", "নম্বর", "মোবাইল নম্বর", "ফোন নম্বর"}
	quantityLabels = []string{"quantity", "qty", "order", "product", "পরিমাণ", "অর্ডার", "প্রোডাক্ট", "পণ্য"}
)

// What buyers write around a name and around what they want, whole words only.
var (
	greetingPattern = regexp.MustCompile(`^(?i:(?:আপু|আপা|ভাই|ভাইয়া|আসসালামু আলাইকুম|সালাম|হ্যালো|আমি|আমার নাম|` +
		`assalamu ?alaikum|asslamu ?alaikum|salam|hello|hi|dear|apu|apa|bhai|bhaiya|vai|vaiya|ami|i am|my name is)[ ,.।!]+)+`)
	requestPattern = regexp.MustCompile(`(?i: +(?:(?:নিতে|কিনতে|অর্ডার করতে) চাই|(?:nite|kinte|order korte) chai|chai|nibo|` +
		`দিবেন|দেবেন|দিয়েন|দেন|দিন|লাগবে|চাই|নিব|নিবো|নেব|নেবো|প্লিজ|diben|lagbe|please|plz))+$`)
)

// quantity matches "2 pcs", "2x", "x 2", "২টি"; digits are folded to ASCII before.
var quantityPattern = regexp.MustCompile(`(?i)(?:^|[\s(,])(?:(\d{1,4})\s*(?:pcs|pc|pieces?|pis|ta|ti|x|×|টি|টা|পিস)|[x×]\s*(\d{1,4}))(?:$|[\s),.;])`)

// parseMessage parses a message in NFC. country is the shop's.
func parseMessage(text, country string) *ParsedOrder {
	text = foldDigits(text)
	if line, ok := theOnlyLine(text); ok {
		if label, _ := splitLabel(line); label != "" {
			text = inlineLabelPattern.ReplaceAllString(line, "\n$1:")
		} else if parsed, ok := parseLine(line, country); ok {
			return parsed
		}
	}
	parsed := &ParsedOrder{Quantities: []ParsedQuantity{}}
	var rest []string
	for line := range strings.Lines(text) {
		line = tidyLine(line)
		label, value := splitLabel(line)
		if parsed.Customer.PhoneNumber == nil {
			if number, without, ok := findPhone(value, country); ok {
				parsed.Customer.PhoneNumber, value = &number, tidyLine(without)
			}
		}
		switch {
		case value == "" || label == "phone" || label == "" && withoutGreeting(value) == "":
		case label == "name":
			parsed.Customer.Name = new(input.Cut(value, input.MaxName))
		case label == "address":
			rest = append(rest, value)
		default:
			if goods := findGoods(value); len(parsed.Quantities)+len(goods) <= MaxOrderLines && len(goods) > 0 {
				parsed.Quantities = append(parsed.Quantities, goods...)
				continue
			}
			quantity, other, ok := findQuantity(value, label == "quantity")
			switch {
			case ok && len(parsed.Quantities) < MaxOrderLines:
				other = requestPattern.ReplaceAllString(withoutGreeting(other), "")
				parsed.Quantities = append(parsed.Quantities, ParsedQuantity{quantity, input.Cut(other, account.MaxAddressLine)})
			case parsed.Customer.Name == nil && len(rest) == 0 && looksLikeName(withoutGreeting(value)):
				parsed.Customer.Name = new(input.Cut(withoutGreeting(value), input.MaxName))
			default:
				rest = append(rest, value)
			}
		}
	}
	parsed.setAddress(strings.Join(rest, ", "), country)
	return parsed
}

// setAddress sets the address. A single line that begins with a name has it split off.
func (p *ParsedOrder) setAddress(text, country string) {
	if p.Customer.Name == nil {
		if first, others, ok := strings.Cut(text, ","); ok && looksLikeName(first) {
			p.Customer.Name, text = new(input.Cut(tidyLine(first), input.MaxName)), tidyLine(others)
		}
	}
	p.ShippingAddress.Line1 = input.Cut(text, account.MaxAddressLine)
	if country != "BD" {
		return
	}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '।' || r == '-' }) {
		if name, ok := district.Find(strings.TrimSpace(strings.TrimRight(part, " 0123456789"))); ok {
			p.ShippingAddress.City = name // the last one: an address ends with its district
		}
	}
	if p.ShippingAddress.City == "" {
		p.ShippingAddress.City, _ = findDistrict(text) // without commas
	}
	if line, postcode := cutDistrict(p.ShippingAddress.Line1, p.ShippingAddress.City); line != "" {
		p.ShippingAddress.Line1, p.ShippingAddress.Postcode = line, db.NullText(postcode)
	}
}

// foldDigits replaces digits of all scripts by ASCII digits.
func foldDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if d, ok := phone.DigitValue(r); ok && r > unicode.MaxASCII {
			return rune('0' + d)
		}
		return r
	}, text)
}

// tidyLine returns a line with single spaces and without separators at its ends.
func tidyLine(line string) string {
	return strings.Trim(strings.Join(strings.Fields(line), " "), " ,;:।-–*•")
}

// splitLabel returns which field a line's label names, and what follows. label is "" if the line
// has none that is known.
func splitLabel(line string) (label, value string) {
	i := strings.IndexAny(line, ":：=-–")
	if i < 0 {
		return "", line
	}
	_, size := utf8.DecodeRuneInString(line[i:])
	word, value := strings.ToLower(strings.TrimSpace(line[:i])), strings.TrimSpace(line[i+size:])
	for _, known := range []struct {
		label string
		words []string
	}{{"name", nameLabels}, {"address", addressLabels}, {"phone", phoneLabels}, {"quantity", quantityLabels}} {
		for _, w := range known.words {
			if word == w {
				return known.label, value
			}
		}
	}
	return "", line
}

// withoutPhoneLabel returns what precedes a phone number, without a label of it that has no colon.
func withoutPhoneLabel(before string) string {
	text := strings.TrimRight(before, " .:")
	for _, label := range slices.Backward(phoneLabels) { // "ফোন নম্বর" before "নম্বর"
		rest, ok := strings.CutSuffix(strings.ToLower(text), label)
		if ok && len(strings.ToLower(text)) == len(text) && (rest == "" || strings.HasSuffix(rest, " ") || strings.HasSuffix(rest, ",")) {
			return text[:len(rest)]
		}
	}
	return before
}

// findPhone returns the first phone number of a line, and the line without it.
func findPhone(line, country string) (e164, without string, ok bool) {
	const longest = 15 // digits of E.164
	for start, r := range line {
		if !isDigit(r) && r != '+' || start > 0 && isDigit(rune(line[start-1])) {
			continue
		}
		digits := 0
		var ends []int // after each digit
		for i := start; i < len(line) && digits < longest; i++ {
			switch c := line[i]; {
			case isDigit(rune(c)):
				digits++
				ends = append(ends, i+1)
			case c == '+' && i == start, strings.ContainsRune(" -().", rune(c)):
			default:
				i = len(line)
			}
		}
		for n := len(ends) - 1; n >= 6; n-- {
			end := ends[n]
			if end < len(line) && isDigit(rune(line[end])) {
				continue
			}
			if e164, ok = phone.Parse(line[start:end], country); ok {
				return e164, withoutPhoneLabel(line[:start]) + " " + line[end:], true
			}
		}
	}
	return "", line, false
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// findQuantity returns a quantity in a line, and the line without it. With bare, a number alone
// counts.
func findQuantity(line string, bare bool) (quantity int, rest string, ok bool) {
	if bare {
		if n, err := strconv.Atoi(line); err == nil && 1 <= n && n <= MaxQuantity {
			return n, "", true
		}
	}
	at := quantityPattern.FindStringSubmatchIndex(line)
	if at == nil {
		return 0, line, false
	}
	digits := ""
	for _, group := range []int{2, 4} {
		if at[group] >= 0 {
			digits = line[at[group]:at[group+1]]
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 {
		return 0, line, false
	}
	return n, tidyLine(line[:at[0]] + " " + line[at[1]:]), true
}

// goodsPattern matches one of several goods in a line: "1 mango pickle".
var goodsPattern = regexp.MustCompile(`^(\d{1,2})\s+(\pL.*)$`)

// findGoods returns the goods of a line that lists several by bare numbers, such as "1 mango
// pickle, 2 honey". It returns nil if any of them may be a place, as in "12 Green Road, 5 Mirpur".
func findGoods(line string) []ParsedQuantity {
	var goods []ParsedQuantity
	for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(",;+&", r) }) {
		part = requestPattern.ReplaceAllString(tidyLine(part), "")
		match := goodsPattern.FindStringSubmatch(part)
		if match == nil || quantityPattern.MatchString(part) || hasPlace(strings.Fields(match[2])) {
			return nil
		}
		n, err := strconv.Atoi(match[1])
		if err != nil || n < 1 || n > MaxQuantity {
			return nil
		}
		goods = append(goods, ParsedQuantity{n, input.Cut(match[2], account.MaxAddressLine)})
	}
	if len(goods) < 2 { // one alone may be a place: "12 Shantinagar"
		return nil
	}
	return goods
}

// withoutGreeting returns what follows a greeting or "I am". A greeting alone is no name.
func withoutGreeting(line string) string {
	return strings.TrimSpace(greetingPattern.ReplaceAllString(line+" ", ""))
}

// looksLikeName reports whether a line can be a person's name: one to five words without digits.
func looksLikeName(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || strings.ContainsAny(line, ",/#0123456789") || utf8.RuneCountInString(line) > input.MaxName {
		return false
	}
	if _, ok := district.Find(line); ok {
		return false
	}
	return len(strings.Fields(line)) <= 5
}
