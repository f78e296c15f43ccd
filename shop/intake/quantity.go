package intake

import (
	"strings"
	"unicode/utf8"
)

// quantity is a number of goods in a message.
type quantity struct {
	first, last int // its tokens
	number      int
	each        bool // of each of the goods before it
	used        bool
}

// readPrices finds amounts of money, which are no quantities.
func (r *reader) readPrices() {
	r.readBullets()
	for i := range r.tokens {
		t := &r.tokens[i]
		if t.role == noRole && r.isDigits(i) && (r.followsPrice(i) || r.precedesPrice(i)) {
			t.role = priceRole
		}
	}
}

// readBullets finds the numbers of a list, one a line: "1) mug", "2. honey".
func (r *reader) readBullets() {
	var found []int
	for i := range r.tokens {
		t := &r.tokens[i]
		if t.gap != line || t.role != noRole || t.number != len(found)+1 || i+1 == len(r.tokens) {
			continue
		}
		if next := &r.tokens[i+1]; next.gap < line && strings.HasPrefix(next.before, ")") ||
			next.gap > joined && strings.Trim(next.before, ".।- ") == "" && strings.TrimSpace(next.before) != "" && len(next.before) > 1 {
			found = append(found, i)
		}
	}
	for _, i := range found {
		if len(found) > 1 || strings.HasPrefix(r.tokens[i+1].before, ")") {
			r.mark(i, i, headerRole)
		}
	}
}

// minSum is the least number behind or before a plus or equals sign that is an amount: "mug = 2".
const minSum = 50

// followsPrice reports whether a sign or word of prices precedes a number.
func (r *reader) followsPrice(i int) bool {
	t := &r.tokens[i]
	isSum := t.number >= minSum || t.number < 0 || i > 0 && r.tokens[i-1].number >= 0
	return strings.ContainsAny(t.before, "৳$@") || strings.ContainsAny(t.before, "+=") && isSum ||
		i > 0 && r.is("price", r.tokens[i-1].key) && t.gap <= dash
}

// precedesPrice reports whether a sign or word of prices follows a number.
func (r *reader) precedesPrice(i int) bool {
	if i+1 == len(r.tokens) {
		return false
	}
	next := &r.tokens[i+1]
	return next.gap <= space && (r.is("currency", next.key) || next.key == "k") ||
		strings.ContainsAny(next.before, "৳") || strings.Contains(next.before, "/-") ||
		strings.ContainsAny(next.before, "+=") && next.gap < line && r.tokens[i].number >= minSum
}

// numberAt returns the number at a token, in digits or words; 0 means that there is none.
func (r *reader) numberAt(i int) (n int, isWord bool) {
	t := &r.tokens[i]
	if n := r.values[t.key]; n > 0 {
		return n, true
	}
	return max(t.number, 0), false
}

// quantityAt returns the quantity that begins at a token: "2 pcs", "2x", "x 2", "২টি", "ekta".
func (r *reader) quantityAt(i, end int) (q quantity, ok bool) {
	t := &r.tokens[i]
	if r.is("times", t.key) {
		if r.followsNumber(i+1, end) {
			return r.counted(i, i+1, r.tokens[i+1].number)
		}
		return quantity{}, false
	}
	number, isWord := r.numberAt(i)
	if number == 0 {
		return quantity{}, false
	}
	if r.isTimes(i) || i+1 < end && r.isTimes(i+1) {
		return r.counted(i, i, number)
	}
	if i+1 < end && r.tokens[i+1].gap <= space {
		switch next := r.tokens[i+1].key; {
		case r.is("dozen", next):
			return r.counted(i, i+1, number*12)
		case r.isCounter(i + 1), r.is("times", next) && !r.followsNumber(i+2, end):
			return r.counted(i, i+1, number)
		case r.units[next] != "":
			return quantity{}, false
		}
	}
	if isWord && r.standsAlone(t.key) {
		return r.counted(i, i, number)
	}
	return quantity{}, false
}

// isCounter reports whether a word counts the number before it: "2 pcs", "2ps".
func (r *reader) isCounter(i int) bool {
	key := r.tokens[i].key
	return r.is("counter", key) || r.isUnit(i) && r.is("joined counter", key)
}

// standsAlone reports whether a word for a number is a quantity without a word that counts. "char"
// is four, and also the bank of a river.
func (r *reader) standsAlone(key string) bool {
	return utf8.RuneCountInString(key) > 2 && key != "char"
}

// isTimes reports whether a sign of multiplication is between a token and the one before.
func (r *reader) isTimes(i int) bool {
	return r.tokens[i].gap < line && strings.Contains(r.tokens[i].before, "×")
}

// followsNumber reports whether a number is at a token, as in "20 x 30".
func (r *reader) followsNumber(i, end int) bool {
	return i < end && r.tokens[i].gap <= space && r.tokens[i].number > 0
}

// counted returns a quantity, unless it is out of bounds.
func (r *reader) counted(first, last, number int) (quantity, bool) {
	q := quantity{first: first, last: last, number: number}
	if next := last + 1; next < len(r.tokens) && r.tokens[next].gap <= space {
		q.each = r.is("each", r.tokens[next].key)
	}
	return q, 1 <= number && number <= r.MaxQuantity
}

// bareQuantity returns a number of goods that stands alone: "Brass lamp 1", "(2)", "- 3".
func (r *reader) bareQuantity(i, end int) (q quantity, ok bool) {
	t := &r.tokens[i]
	if t.number < 1 || t.number > 99 || t.end-t.start > 6 ||
		t.gap <= soft && strings.Trim(t.before, "-(") != "" ||
		t.gap == joined {
		return quantity{}, false
	}
	if i+1 < end &&
		(r.tokens[i+1].gap <= soft || r.units[r.tokens[i+1].key] != "" && r.tokens[i+1].gap <= space ||
			r.is("size", r.tokens[i+1].key)) ||
		i > 0 && r.is("size", r.tokens[i-1].key) && t.gap <= space {
		return quantity{}, false
	}
	return r.counted(i, i, t.number)
}

// unitOf returns the unit of measure at a token, also with an ending; "" if there is none.
func (r *reader) unitOf(i int) string {
	for _, key := range append([]string{r.tokens[i].key}, stems(r.tokens[i].key)...) {
		if unit := r.units[key]; unit != "" {
			return unit
		}
	}
	return ""
}

// measureAt returns the measure that begins at a token, such as "500 g", in the words of variants,
// and the token after it.
func (r *reader) measureAt(i, end int) (words []string, next int) {
	if i+1 >= end || r.tokens[i+1].gap > space {
		return nil, i
	}
	unit := r.unitOf(i + 1)
	if unit == "" {
		return nil, i
	}
	if r.is("half", r.tokens[i].key) {
		switch unit {
		case "kg":
			return []string{"500", "g"}, i + 2
		case "l":
			return []string{"500", "ml"}, i + 2
		}
	}
	number, _ := r.numberAt(i)
	if number == 0 {
		return nil, i
	}
	return []string{itoa(number), unit}, i + 2
}
