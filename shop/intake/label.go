package intake

import (
	"strings"

	"storefront/shop/input"
)

// labelRoles are the roles of the values of labels.
var labelRoles = map[string]role{
	"name": nameRole, "address": addressRole, "part": addressRole, "street": addressRole, "home": addressRole, "thana": thanaRole,
	"district": cityRole, "product": productRole, "quantity": countRole, "other": otherRole,
	"phone": otherRole,
}

// readLabels finds labels, anywhere in a line, and their values. A value ends at the next label, at
// a phone number, or with its line.
func (r *reader) readLabels() {
	inAddress := false
	for i := 0; i < len(r.tokens); {
		kind, value := r.labelAt(i)
		if kind == "" {
			inAddress = inAddress && r.tokens[i].role == noRole
			i++
			continue
		}
		role := labelRole
		if r.isInAddress(kind, value) {
			role = addressRole
		}
		r.mark(i, value-1, role)
		end := r.valueEnd(kind, value)
		if kind == "other" && end > value && !r.tokens[value-1].colon &&
			r.tokens[value].number >= 0 {
			end = value + 1
		}
		for n := value; n < end; n++ {
			r.tokens[n].role = labelRoles[kind]
		}
		i = end
	}
}

// isInAddress reports whether a label stays part of the address: "thana: Savar", "basa: 19".
func (r *reader) isInAddress(kind string, value int) bool {
	switch kind {
	case "part", "street", "thana", "district":
		return true
	}
	return kind == "home" && value < len(r.tokens) && r.tokens[value].number >= 0
}

// labelAt returns the kind of the label at a token, "" if there is none, and the first token of its
// value.
func (r *reader) labelAt(i int) (kind string, value int) {
	if r.tokens[i].role != noRole || r.isUnit(i) {
		return "", 0
	}
	first := i
	for first-i < 3 && r.beginsLabel(first) {
		first++
	}
	for ; first >= i; first-- {
		for n := maxPhrase; n > 0; n-- {
			found, known := r.labelOf(first, n)
			if !known {
				continue
			}
			last := r.labelEnd(first + n - 1)
			if r.accepts(found, i, last) {
				if found.kind == "address" && found.strict && r.isLoneNumber(last+1) {
					found.kind = "other" // "Delivery: 60"
				}
				return found.kind, last + 1
			}
		}
	}
	return "", 0
}

// beginsLabel reports whether a token is a word before a label.
func (r *reader) beginsLabel(i int) bool {
	return i+1 < len(r.tokens) && r.is("before label", r.tokens[i].key) && !r.tokens[i].colon &&
		r.tokens[i+1].gap <= space && r.tokens[i+1].role == noRole
}

// isUnit reports whether a token is written together with the number before it: "1ps".
func (r *reader) isUnit(i int) bool {
	return r.tokens[i].gap == joined && i > 0 && r.tokens[i-1].number >= 0
}

// labelOf returns the label that n tokens are.
func (r *reader) labelOf(first, n int) (found label, known bool) {
	phrase := r.phrase(first, n)
	if found, known = r.labels[phrase]; !known && n == 1 && r.tokens[first].colon {
		return r.misspelledLabel(phrase)
	}
	return found, known
}

// minMisspelled is the least length of a label that is recognized with one letter wrong.
const minMisspelled = 5

// misspelledLabel returns the label that differs from a word by one letter, but not its first:
// "Addrss".
func (r *reader) misspelledLabel(word string) (found label, ok bool) {
	letters := []rune(word)
	if len(letters) < minMisspelled {
		return label{}, false
	}
	for other, l := range r.labels {
		others := []rune(other)
		if len(others) >= minMisspelled && others[0] == letters[0] && input.IsOneEditApart(letters, others) {
			if ok && l.kind != found.kind {
				return label{}, false
			}
			found, ok = l, true
		}
	}
	return found, ok
}

// isLoneNumber reports whether the number at a token is all that its line has.
func (r *reader) isLoneNumber(i int) bool {
	return i < len(r.tokens) && r.tokens[i].number >= 0 &&
		(i+1 == len(r.tokens) || r.tokens[i+1].gap == line)
}

// phrase returns the keys of n tokens of one label.
func (r *reader) phrase(first, n int) string {
	if first+n > len(r.tokens) {
		return ""
	}
	words := make([]string, n)
	for i := range n {
		t := &r.tokens[first+i]
		if i > 0 && (t.gap > space || r.tokens[first+i-1].colon) || t.role != noRole {
			return ""
		}
		words[i] = t.key
	}
	return strings.Join(words, " ")
}

// labelEnd returns the last token of a label, with the words behind that belong to it.
func (r *reader) labelEnd(last int) int {
	for !r.tokens[last].colon && last+1 < len(r.tokens) && r.tokens[last+1].gap <= space &&
		r.tokens[last+1].role == noRole && r.is("after label", r.tokens[last+1].key) {
		last++
	}
	return last
}

// accepts reports whether the tokens are a label, by the text behind them.
func (r *reader) accepts(l label, first, last int) bool {
	if last+1 == len(r.tokens) {
		return r.tokens[last].colon
	}
	next := &r.tokens[last+1]
	if r.isMarked(last) {
		return r.acceptsMarked(l, first, last)
	}
	if l.strict {
		return l.kind == "phone" && r.precedesPhone(last) ||
			l.kind == "name" && r.acceptsReceiver(first, last)
	}
	if next.gap > space {
		return next.gap == line && (l.kind == "name" || l.kind == "address" || l.kind == "other")
	}
	return r.acceptsBare(l, first, last)
}

// acceptsReceiver reports whether a word for the buyer is a label: alone in its line, or before a
// name.
func (r *reader) acceptsReceiver(first, last int) bool {
	next := &r.tokens[last+1]
	if next.gap == line {
		return r.tokens[first].gap == line
	}
	return next.gap <= space && next.role == noRole &&
		(r.isName(next.key) || r.is("title", next.key))
}

// isMarked reports whether a colon or a dash follows a token.
func (r *reader) isMarked(last int) bool {
	next := &r.tokens[last+1]
	return r.tokens[last].colon || next.gap == dash && !strings.ContainsAny(next.before, "([{") ||
		next.gap == soft && strings.ContainsAny(next.before, "-–—") && next.number < 0
}

// acceptsMarked reports whether the tokens before a colon are a label.
func (r *reader) acceptsMarked(l label, first, last int) bool {
	switch l.kind {
	case "part", "street":
		return r.tokens[first].gap >= dash ||
			r.tokens[last+1].gap <= space && r.startsPart(first, last)
	case "address":
		return r.tokens[last+1].role != priceRole
	}
	return true
}

// acceptsBare reports whether the tokens before a space are a label.
func (r *reader) acceptsBare(l label, first, last int) bool {
	next := &r.tokens[last+1]
	switch l.kind {
	case "phone":
		return r.precedesPhone(last)
	case "quantity":
		return next.number > 0
	case "part", "street":
		return r.startsPart(first, last)
	case "thana", "district":
		return !r.is("not area", next.key) && (!r.followsPlace(first) || r.isPlaceOf(l.kind, last+1))
	case "home":
		return next.number < 0 && !r.is("after label", next.key) && r.tokens[first].gap >= space &&
			!r.is("address", next.key) && !r.is("chat", next.key)
	case "address":
		return next.role != priceRole
	}
	return true
}

// isPlaceOf reports whether a label of a kind has the place at a token as its value.
func (r *reader) isPlaceOf(kind string, i int) bool {
	place := r.placeAt(i)
	return kind == "thana" && place.areas != nil || kind == "district" && place.city != ""
}

// followsPlace reports whether the name of a place precedes a token: "Savar upazila".
func (r *reader) followsPlace(i int) bool {
	for n := 1; n <= min(i, maxPlaceWords); n++ {
		if p := r.placeAt(i - n); r.tokens[i].gap <= space && p.end == i && p.end > 0 {
			return true
		}
	}
	return false
}

// startsPart reports whether a part of an address that has no colon begins the address: "gram
// Paikpara". Within an address it needs no label.
func (r *reader) startsPart(first, last int) bool {
	next := &r.tokens[last+1]
	key := r.tokens[first].key
	return (key == "gram" || key == "vill" || key == "village" || key == wordKey("গ্রাম")) &&
		next.number < 0 && (first == 0 || r.tokens[first-1].number < 0)
}

// precedesPhone reports whether a phone number, or a number in words, follows a token soon.
func (r *reader) precedesPhone(i int) bool {
	for n := i + 1; n < len(r.tokens) && n <= i+3; n++ {
		if r.tokens[n].role == phoneRole {
			return true
		}
		if r.is("digit", r.tokens[n].key) && n+1 < len(r.tokens) &&
			r.is("digit", r.tokens[n+1].key) {
			return true
		}
	}
	return false
}

// valueEnd returns the end of the value that begins at a token.
func (r *reader) valueEnd(kind string, first int) int {
	words := 0
	if kind == "phone" { // its number is found already, unless it is in words
		for first < len(r.tokens) && r.tokens[first].gap <= space && r.is("digit", r.tokens[first].key) {
			first++
		}
		return first
	}
	for i := first; i < len(r.tokens); i++ {
		t := &r.tokens[i]
		if i > first || t.gap == line {
			if t.role != noRole || r.endsValue(kind, i, i == first) {
				return i
			}
			if next, _ := r.labelAt(i); next != "" && !(isAddressKind(kind) && next == "home") {
				return i
			}
		}
		if words++; kind == "name" && words > maxNameWords {
			return i
		}
	}
	return len(r.tokens)
}

func isAddressKind(kind string) bool {
	return kind == "address" || kind == "part" || kind == "street" || kind == "thana" ||
		kind == "district" ||
		kind == "home"
}

// endsValue reports whether a value ends before a token, by the gap between them. A label alone in
// its line has its value in the next one.
func (r *reader) endsValue(kind string, i int, first bool) bool {
	t := &r.tokens[i]
	if first {
		return kind != "name" && kind != "address" && kind != "product"
	}
	switch kind {
	case "name":
		return t.gap > soft && t.gap != space || r.is("and", t.key)
	case "address", "home":
		return t.gap >= stop && !r.continuesAddress(i) || r.countsGoods(i)
	case "part", "street", "thana", "district":
		return t.gap >= comma
	case "product":
		return t.gap == line
	}
	return t.gap >= comma
}

// continuesAddress reports whether the segment that begins at a token is part of the address before
// it.
func (r *reader) continuesAddress(i int) bool {
	evidence := false
	for n := i; n < len(r.tokens) && (n == i || r.tokens[n].gap < comma); n++ {
		t := &r.tokens[n]
		if t.role != noRole || r.is("chat", t.key) || r.countsGoods(n) || t.asked {
			return false
		}
		evidence = evidence || r.is("address", t.key) || r.placeAt(n).end > n
	}
	return evidence
}

// countsGoods reports whether a counted quantity begins at a token: "2 pcs".
func (r *reader) countsGoods(i int) bool {
	t := &r.tokens[i]
	return t.number > 0 && i+1 < len(r.tokens) && r.tokens[i+1].gap <= space &&
		r.is("counter", r.tokens[i+1].key) && r.tokens[i+1].key != "p"
}
