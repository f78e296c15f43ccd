package shop

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"storefront/shop/account"
	"storefront/shop/district"
	"storefront/shop/input"
)

// inlineLabelPattern matches a label inside a line whose first word is a label, too. Words that
// addresses also have before a colon, such as number, are not among them.
var inlineLabelPattern = regexp.MustCompile(`(?i)[ ,;।]+(` + norm.NFC.String(`phone number|mobile number|phone|mobile|contact|full address|`+
	`delivery address|address|quantity|qty|product|মোবাইল নাম্বার|ফোন নাম্বার|মোবাইল|ফোন|পূর্ণ ঠিকানা|ঠিকানা|পরিমাণ|প্রোডাক্ট|পণ্য`) + `)\s*[:：=]`)

// addressWords begin an address.
var addressWords = func() map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(norm.NFC.String(`house home holding basa bari road rd flat apt apartment floor block sector village
		vill gram para ward lane plot building tower po ps thana upazila zila district union h# vill: house: road: dist zilla jela
		বাড়ি বাসা রোড ফ্ল্যাট ফ্লাট ব্লক সেক্টর গ্রাম পোস্ট ডাকঘর থানা উপজেলা জেলা ইউনিয়ন ওয়ার্ড লেন গলি প্লট তলা হাউজ হাউস বিল্ডিং টাওয়ার`)) {
		all[word] = true
	}
	return all
}()

// honorifics begin a name and are no name alone.
var honorifics = func() map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(norm.NFC.String("md md. mst mst. mrs mr dr মো মো. মোঃ মো: মোছাঃ মোসাঃ ডা ডাঃ")) {
		all[word] = true
	}
	return all
}()

// questionPattern matches a question after a sentence or a comma, which is no part of an address:
// "House 4, Sylhet. When do you deliver?"
var questionPattern = regexp.MustCompile(`([,.;।!])[^,.;।!?]*\?`)

// cutSentences returns a line with commas between its sentences. A full stop after an abbreviation,
// as in "Md. Karim" or "House No. 5", ends none, nor does one after a number of an address, as in
// "House 12. Dhanmondi": an address is stored as it was written.
func cutSentences(line string) string {
	words := strings.Fields(line)
	for i, word := range words {
		end := strings.TrimRight(word, ".!")
		if len(word)-len(end) != 1 || i == len(words)-1 || !endsSentence(strings.ToLower(end), words[:i]) {
			continue
		}
		words[i] = end + ","
	}
	return strings.Join(words, " ")
}

// endsSentence reports whether a full stop after a word, in lower case, ends a sentence. before are
// the words of the line before it.
func endsSentence(word string, before []string) bool {
	if addressWords[word] || honorifics[word] || word == "no" || len(word) < 2 {
		return false
	}
	isNumber := !strings.ContainsFunc(word, func(r rune) bool { return !isDigit(r) })
	return !isNumber || len(before) == 0 || !addressWords[strings.ToLower(strings.TrimRight(before[len(before)-1], "."))]
}

// maxNameWords is the maximum number of words of a name.
const maxNameWords = 5

// theOnlyLine returns the line of a message that has one beside greetings.
func theOnlyLine(text string) (line string, ok bool) {
	for one := range strings.Lines(text) {
		one = tidyLine(one)
		switch {
		case one == "" || withoutGreeting(one) == "":
		case ok:
			return "", false
		default:
			line, ok = one, true
		}
	}
	return line, ok
}

// parseLine parses a message of one line: "Rahima Khatun 01711-223344 House 12 Road 5 Mirpur Dhaka
// 2 pcs mug". ok is false if the line is not of this form: it has no phone number.
func parseLine(line, country string) (parsed *ParsedOrder, ok bool) {
	line = cutSentences(questionPattern.ReplaceAllString(line, "$1"))
	number, without, ok := findPhone(line, country)
	if !ok {
		return nil, false
	}
	parsed = &ParsedOrder{Quantities: []ParsedQuantity{}}
	parsed.Customer.PhoneNumber = &number
	before := len(commonPrefix(line, without))
	var rest []string
	for i, part := range []string{without[:before], without[before:]} {
		for segment := range strings.FieldsFuncSeq(part, func(r rune) bool { return strings.ContainsRune(",;।|", r) }) {
			segment = strings.TrimPrefix(tidyLine(segment), ". ") // after a phone number
			if i == 0 && len(rest) == 0 && parsed.requests(withoutGreeting(segment)) {
				continue
			}
			if i == 0 && len(rest) == 0 && parsed.Customer.Name == nil || i == 1 && len(rest) == 0 {
				segment = parsed.splitName(withoutGreeting(segment))
			}
			if segment = parsed.splitQuantity(segment); segment != "" {
				rest = append(rest, segment)
			}
		}
	}
	parsed.setAddress(strings.Join(rest, ", "), country)
	return parsed, true
}

// commonPrefix returns what both texts begin with.
func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return strings.ToValidUTF8(a[:n], "")
}

// splitName sets the name with which a text begins, if none is set, and returns what follows: an
// address begins with a word of addresses, or one with a digit.
func (p *ParsedOrder) splitName(text string) (rest string) {
	words := strings.Fields(text)
	n, isPlace := 0, false
	for n < len(words) && !isPlace && !beginsAddress(words[n]) {
		_, isPlace = district.Find(strings.Trim(words[n], ".,-"))
		if !isPlace {
			n++
		}
	}
	if isPlace { // "Rahima Khatun Dhanmondi Dhaka": what precedes a district is a place, too
		full := 2
		if honorifics[strings.ToLower(words[0])] {
			full++
		}
		n = min(n, full)
	}
	name := tidyLine(strings.Join(words[:n], " "))
	if p.Customer.Name != nil || n == 0 || n > maxNameWords || !looksLikeName(name) || (n == 1 && honorifics[strings.ToLower(name)]) {
		return text
	}
	p.Customer.Name = &name
	return tidyLine(strings.Join(words[n:], " "))
}

// beginsAddress reports whether a word begins an address rather than continuing a name.
func beginsAddress(word string) bool {
	return addressWords[strings.ToLower(strings.Trim(word, ".,-#:"))] || strings.ContainsFunc(word, func(r rune) bool { return isDigit(r) || r == '#' })
}

// requests adds the quantity of a text that ends with it, or with a request, as before a name:
// "nakshi katha 2 ta, Nusrat Jahan". It reports whether the text is of this form.
func (p *ParsedOrder) requests(text string) bool {
	quantity, product, ok := findQuantity(text, false)
	before := strings.TrimSpace(quantityPattern.ReplaceAllString(text+" ", ""))
	if !ok || quantity > MaxQuantity || len(p.Quantities) == MaxOrderLines || strings.ContainsFunc(product, unicode.IsDigit) ||
		!strings.HasPrefix(text, before) || !requestPattern.MatchString(" "+before) {
		return false
	}
	product = requestPattern.ReplaceAllString(product, "")
	p.Quantities = append(p.Quantities, ParsedQuantity{quantity, input.Cut(articlePattern.ReplaceAllString(product, ""), account.MaxAddressLine)})
	return true
}

// articlePattern matches an article after a word: "nakshi katha ta".
var articlePattern = regexp.MustCompile(` (?:ta|ti|টা|টি)$`)

// splitQuantity adds the quantity in a text, if there is one, and returns the text without it and
// its product. The product follows the quantity, or else precedes it: then it begins after the
// district, or is all of the text.
func (p *ParsedOrder) splitQuantity(text string) (rest string) {
	at := quantityPattern.FindStringIndex(text)
	quantity, other, ok := findQuantity(text, false)
	if !ok || quantity > MaxQuantity || len(p.Quantities) == MaxOrderLines {
		return text
	}
	before := tidyLine(text[:at[0]])
	product := requestPattern.ReplaceAllString(tidyLine(text[at[1]:]), "")
	if without := tidyLine(requestPattern.ReplaceAllString(" "+product, "")); without == "" { // "2 pcs please"
		product = ""
	}
	switch words := strings.Fields(before); {
	case product != "":
	case !strings.ContainsFunc(other, unicode.IsDigit) && !strings.ContainsFunc(before, func(r rune) bool { return r == '#' }) && !hasPlace(words):
		before, product = "", before
	default:
		for i := len(words) - 1; i >= 0; i-- {
			if _, ok := district.Find(words[i]); ok {
				before, product = strings.Join(words[:i+1], " "), strings.Join(words[i+1:], " ")
				break
			}
		}
	}
	p.Quantities = append(p.Quantities, ParsedQuantity{quantity, input.Cut(product, account.MaxAddressLine)})
	return before
}

// hasPlace reports whether words name a place.
func hasPlace(words []string) bool {
	for _, word := range words {
		if _, ok := district.Find(word); ok || beginsAddress(word) {
			return true
		}
	}
	return false
}

// findDistrict returns the last district that the words of a text name, of one word or two.
func findDistrict(text string) (name string, ok bool) {
	words := strings.Fields(text)
	for i := len(words) - 1; i >= 0; i-- {
		word := strings.TrimRight(words[i], ".,-0123456789")
		if i > 0 {
			if name, ok = district.Find(words[i-1] + " " + word); ok {
				return name, true
			}
		}
		if name, ok = district.Find(word); ok {
			return name, true
		}
	}
	return "", false
}

// endingPostcode matches a postcode at the end of an address, as in "Dhaka-1216".
var endingPostcode = regexp.MustCompile(`[ ,-]*\b(\d{4})$`)

// cutDistrict returns an address without the district that it ends with, and without a postcode
// after it. line is "" if it ends otherwise: "Feni Sadar" is a part of a district, and after
// "Thana:" the word is needed.
func cutDistrict(address, name string) (line, postcode string) {
	if at := endingPostcode.FindStringSubmatchIndex(address); at != nil {
		address, postcode = address[:at[0]], address[at[2]:at[3]]
	}
	words := strings.Fields(address)
	for n := 1; n <= 2 && n < len(words); n++ { // of one word or two, after others
		before, last := words[len(words)-n-1], words[len(words)-n:]
		if found, ok := district.Find(strings.Join(last, " ")); !ok || found != name || n == 2 && hasDistrict(last) {
			continue
		}
		if word := strings.Trim(strings.ReplaceAll(strings.ToLower(before), ".", ""), ":-"); addressWords[word] || strings.HasSuffix(before, ":") {
			return "", ""
		}
		return tidyLine(strings.Join(words[:len(words)-n], " ")), postcode
	}
	return "", ""
}

// hasDistrict reports whether one of the words is the name of a district.
func hasDistrict(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		_, ok := district.Find(word)
		return ok
	})
}
