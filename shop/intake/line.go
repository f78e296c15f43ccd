package intake

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"storefront/shop/district"
)

// honorifics begin a name and are no name alone.
var honorifics = func() map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(norm.NFC.String("md md. mst mst. mrs mr dr মো মো. মোঃ মো: মোছাঃ মোসাঃ ডা ডাঃ")) {
		all[word] = true
	}
	return all
}()

// questionPattern matches a question after a sentence or a comma. It is no part of an address:
// "House 4, Sylhet. When do you deliver?"
var questionPattern = regexp.MustCompile(`([,.;।!])[^,.;।!?]*\?`)

// cutSentences returns a line with commas between its sentences. A full stop after an abbreviation,
// as in "Md. Karim" or "House No. 5", ends none, nor does one after a number of an address, as in
// "House 12. Dhanmondi": an address is stored as it was written.
func cutSentences(line string) string {
	words := strings.Fields(line)
	for i, word := range words {
		end := strings.TrimRight(word, ".!")
		if len(word)-len(end) != 1 || i == len(words)-1 ||
			!endsSentence(strings.ToLower(end), words[:i]) {
			continue
		}
		words[i] = end + ","
	}
	return strings.Join(words, " ")
}

// endsSentence reports whether a full stop after a word, in lower case, ends a sentence. before are
// the preceding words of the line.
func endsSentence(word string, before []string) bool {
	if addressWords[word] || honorifics[word] || word == "no" || len(word) < 2 {
		return false
	}
	isNumber := !strings.ContainsFunc(word, func(r rune) bool { return !isDigit(r) })
	return !isNumber || len(before) == 0 ||
		!addressWords[strings.ToLower(strings.TrimRight(before[len(before)-1], "."))]
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
// 2 pcs mug". ok is false if the line has no phone number.
func (p Parser) parseLine(line string) (order Order, ok bool) {
	line = cutSentences(questionPattern.ReplaceAllString(line, "$1"))
	number, without, ok := findPhone(line, p.Country)
	if !ok {
		return Order{}, false
	}
	r := reader{Parser: p, Order: Order{Phone: number}}
	before := len(commonPrefix(line, without))
	for i, part := range []string{without[:before], without[before:]} {
		isBetween := func(c rune) bool { return strings.ContainsRune(",;।|", c) }
		for segment := range strings.FieldsFuncSeq(part, isBetween) {
			segment = strings.TrimPrefix(tidyLine(segment), ". ") // after a phone number
			r.readSegment(segment, i == 1)
		}
	}
	r.setAddress()
	return r.Order, true
}

// readSegment reads one segment of a message of one line. The name is before the address.
func (r *reader) readSegment(segment string, afterPhone bool) {
	if len(r.rest) == 0 {
		if !afterPhone && r.requests(withoutGreeting(segment)) {
			return
		}
		if afterPhone || r.Name == "" {
			segment = r.splitName(withoutGreeting(segment))
		}
	}
	if segment = r.splitQuantity(segment); segment != "" {
		r.rest = append(r.rest, segment)
	}
}

// commonPrefix returns the longest common beginning of both texts.
func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return strings.ToValidUTF8(a[:n], "")
}

// splitName sets the name at the beginning of a text, unless one is set, and returns the rest. The
// rest, an address, begins with a word of addresses or a word with a digit.
func (r *reader) splitName(text string) (rest string) {
	words := strings.Fields(text)
	n, isPlace := 0, false
	for n < len(words) && !isPlace && !beginsAddress(words[n]) {
		_, isPlace = district.Find(strings.Trim(words[n], ".,-"))
		if !isPlace {
			n++
		}
	}
	if isPlace { // "Rahima Khatun Dhanmondi Dhaka": the words before a district are a place, too
		full := 2
		if honorifics[strings.ToLower(words[0])] {
			full++
		}
		n = min(n, full)
	}
	name := tidyLine(strings.Join(words[:n], " "))
	if r.Name != "" || n == 0 || n > maxNameWords || !looksLikeName(name) ||
		n == 1 && honorifics[strings.ToLower(name)] {
		return text
	}
	r.Name = name
	return tidyLine(strings.Join(words[n:], " "))
}

// requests adds the quantity at the end of a text, or before a request at its end, as before a
// name: "nakshi katha 2 ta, Nusrat Jahan". It reports whether the text is of this form.
func (r *reader) requests(text string) bool {
	quantity, product, ok := r.findQuantity(text, false)
	before := strings.TrimSpace(quantityPattern.ReplaceAllString(text+" ", ""))
	if !ok || quantity > r.MaxQuantity || len(r.Quantities) == r.MaxQuantities ||
		strings.ContainsFunc(product, unicode.IsDigit) ||
		!strings.HasPrefix(text, before) || !requestPattern.MatchString(" "+before) {
		return false
	}
	product = requestPattern.ReplaceAllString(product, "")
	r.addQuantity(quantity, articlePattern.ReplaceAllString(product, ""))
	return true
}

// splitQuantity adds the quantity in a text, if there is one, and returns the text without the
// quantity and its product. The product follows the quantity, or else precedes it. In the second
// case it begins after the district, or is all of the text.
func (r *reader) splitQuantity(text string) (rest string) {
	at := quantityPattern.FindStringIndex(text)
	quantity, other, ok := r.findQuantity(text, false)
	if !ok || quantity > r.MaxQuantity || len(r.Quantities) == r.MaxQuantities {
		return text
	}
	before := tidyLine(text[:at[0]])
	product := requestPattern.ReplaceAllString(tidyLine(text[at[1]:]), "")
	if without := tidyLine(requestPattern.ReplaceAllString(" "+product, "")); without == "" { // "2 pcs please"
		product = ""
	}
	switch words := strings.Fields(before); {
	case product != "":
	case !strings.ContainsFunc(other, unicode.IsDigit) && !strings.ContainsRune(before, '#') && !hasPlace(words):
		before, product = "", before
	default:
		for i := len(words) - 1; i >= 0; i-- {
			if _, ok := district.Find(words[i]); ok {
				before, product = strings.Join(words[:i+1], " "), strings.Join(words[i+1:], " ")
				break
			}
		}
	}
	r.addQuantity(quantity, product)
	return before
}
