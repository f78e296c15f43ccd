package phone

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// phonePlanText lists the first digits and lengths of the numbers of each calling code. A whole
// library for this would make the binary a third larger and its start three times slower; the
// tests compare the table with such a library instead.
//
//go:embed plan.txt
var phonePlanText string

// maxPhoneDigits is the limit of E.164, calling code included.
const maxPhoneDigits = 15

// phonePlan is the numbering plan of one calling code.
type phonePlan struct {
	code  string             // the calling code
	trunk string             // dialled before a national number at home; "" if there is none
	begin map[int]*[100]bool // by length of the national number: the first two digits that occur
}

// phonePlans finds a plan by country (ISO 3166, two letters) or by calling code.
type phonePlans struct {
	byCountry map[string]*phonePlan
	byCode    map[string]*phonePlan
}

var loadPhonePlans = sync.OnceValue(func() phonePlans {
	plans, err := readPhonePlans(phonePlanText)
	if err != nil {
		panic(err)
	}
	return plans
})

// Parse returns the E.164 form of a telephone number as people type it: with or without calling
// code and trunk prefix, in the digits of any script, with the usual punctuation. country (ISO
// 3166, two letters) is assumed for a number without a calling code. A number is rejected if its
// length and first digits fit neither a mobile nor a fixed line of its country, so that a missing
// digit is found before a shipment is sent.
func Parse(text, country string) (e164 string, ok bool) {
	digits, international, ok := phoneDigits(text)
	if !ok {
		return "", false
	}
	plans := loadPhonePlans()
	if international {
		return plans.international(digits)
	}
	home, ok := plans.byCountry[country]
	if !ok {
		return "", false
	}
	if e164, ok := home.national(digits); ok {
		return e164, true
	}
	exit := "00"
	if home.code == "1" {
		exit = "011"
	}
	if rest, ok := strings.CutPrefix(digits, exit); ok {
		return plans.international(rest)
	}
	if rest, ok := strings.CutPrefix(digits, home.code); ok { // the plus sign was omitted
		return home.national(rest)
	}
	return "", false
}

// Digits returns the digits of a text that is a number or its end, grouped in any way, to search
// for it. A number with a calling code has neither plus sign nor trunk prefix. ok is false for
// fewer than four digits, and for any other text.
func Digits(text string) (digits string, ok bool) {
	digits, _, ok = phoneDigits(text)
	if !ok || len(digits) < 4 {
		return "", false
	}
	if e164, ok := loadPhonePlans().international(strings.TrimPrefix(digits, "00")); ok {
		return strings.TrimPrefix(e164, "+"), true
	}
	return digits, true
}

// CallingCode returns the calling code of a country (ISO 3166, two letters), such as "880".
func CallingCode(country string) (code string, ok bool) {
	plan, ok := loadPhonePlans().byCountry[country]
	if !ok {
		return "", false
	}
	return plan.code, true
}

// phoneDigits returns the ASCII digits of text, and whether a plus sign precedes them. Other
// characters than the usual punctuation are rejected: skipping them could store a wrong number.
func phoneDigits(text string) (digits string, international, ok bool) {
	var b strings.Builder
	for _, r := range text {
		d, isDigit := DigitValue(r)
		switch {
		case isDigit:
			if b.Len() > 2*maxPhoneDigits {
				return "", false, false
			}
			b.WriteByte('0' + d)
		case (r == '+' || r == '＋') && b.Len() == 0 && !international:
			international = true
		case strings.ContainsRune("()./", r), unicode.In(r, unicode.Zs, unicode.Pd, unicode.Cf):
		default:
			return "", false, false
		}
	}
	return b.String(), international, b.Len() > 0
}

// DigitValue returns the value of a decimal digit of any script. In Unicode, the ten digits of a
// script are contiguous and in order.
func DigitValue(r rune) (byte, bool) {
	if r <= unicode.MaxASCII {
		return byte(r - '0'), r >= '0' && r <= '9'
	}
	for _, block := range unicode.Nd.R16 {
		if rune(block.Lo) <= r && r <= rune(block.Hi) {
			return byte((r - rune(block.Lo)) % 10), true
		}
	}
	return 0, false
}

// international parses digits that begin with a calling code. No calling code begins another.
func (p phonePlans) international(digits string) (string, bool) {
	for n := 1; n <= 3 && n < len(digits); n++ {
		if plan, ok := p.byCode[digits[:n]]; ok {
			return plan.national(digits[n:])
		}
	}
	return "", false
}

// national parses digits as dialled at home, with or without the trunk prefix.
func (p *phonePlan) national(digits string) (string, bool) {
	if p.trunk != "" {
		if rest, ok := strings.CutPrefix(digits, p.trunk); ok && p.has(rest) {
			return "+" + p.code + rest, true
		}
	}
	if p.has(digits) {
		return "+" + p.code + digits, true
	}
	return "", false
}

func (p *phonePlan) has(number string) bool {
	begin := p.begin[len(number)]
	return begin != nil && len(p.code)+len(number) <= maxPhoneDigits &&
		begin[10*(number[0]-'0')+number[1]-'0']
}

// readPhonePlans reads lines of: calling code, trunk prefix or "-", countries, and for each
// length of a number the first two digits that occur, such as 10:11,13-19.
func readPhonePlans(text string) (phonePlans, error) {
	plans := phonePlans{byCountry: map[string]*phonePlan{}, byCode: map[string]*phonePlan{}}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		if len(fields) < 4 {
			return phonePlans{}, fmt.Errorf("phone plan: %q", line)
		}
		plan := &phonePlan{code: fields[0], begin: map[int]*[100]bool{}}
		if fields[1] != "-" {
			plan.trunk = fields[1]
		}
		for _, field := range fields[3:] {
			if err := plan.readLength(field); err != nil {
				return phonePlans{}, fmt.Errorf("phone plan %s: %w", plan.code, err)
			}
		}
		plans.byCode[plan.code] = plan
		for country := range strings.SplitSeq(fields[2], ",") {
			plans.byCountry[country] = plan
		}
	}
	return plans, nil
}

func (p *phonePlan) readLength(field string) error {
	text, ranges, _ := strings.Cut(field, ":")
	length, err := strconv.Atoi(text)
	if err != nil || length < 4 {
		return fmt.Errorf("length %q", text)
	}
	begin := new([100]bool)
	for part := range strings.SplitSeq(ranges, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		lo, err1 := strconv.ParseUint(from, 10, 8)
		hi, err2 := strconv.ParseUint(to, 10, 8)
		if err1 != nil || err2 != nil || lo > hi || hi > 99 {
			return fmt.Errorf("digits %q", part)
		}
		for i := lo; i <= hi; i++ {
			begin[i] = true
		}
	}
	p.begin[length] = begin
	return nil
}
