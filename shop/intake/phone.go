package intake

import (
	"slices"
	"strings"

	"storefront/shop/phone"
)

// maxDigits is the maximum number of digits of a phone number in E.164.
const maxDigits = 15

// readPhones finds phone numbers. One from which money was sent is used only if there is no other.
func (r *reader) readPhones() {
	best, isPayer := -1, true
	for i := 0; i < len(r.tokens); i++ {
		number, last, ok := r.phoneAt(i)
		if !ok || r.tokens[i].role == quoteRole {
			continue
		}
		for n := i; n <= last; n++ {
			r.tokens[n].role = phoneRole
		}
		if payer := r.paysFrom(i, last); best < 0 || isPayer && !payer {
			best, isPayer, r.Phone = len(r.Sources), payer, number
			r.Sources = slices.DeleteFunc(
				r.Sources,
				func(s Source) bool { return s.Field == FieldPhone },
			)
			r.set(FieldPhone, i, last)
		}
		i = last
	}
}

// phoneAt returns the phone number that begins at a token, and its last token. Longer ones first.
func (r *reader) phoneAt(i int) (number string, last int, ok bool) {
	if r.tokens[i].number < 0 && !r.isLong(i) {
		return "", 0, false
	}
	ends := []int{}
	for n, digits := i, 0; n < len(r.tokens); n++ {
		t := &r.tokens[n]
		if n > i && (strings.Trim(t.before, " -().‑–") != "" || t.gap == line) || !r.isDigits(n) {
			break
		}
		if digits += t.end - t.start; digits > maxDigits*4 {
			break
		}
		ends = append(ends, n)
	}
	start := r.tokens[i].start
	if strings.HasSuffix(r.tokens[i].before, "+") {
		start--
	}
	for _, last := range slices.Backward(ends) {
		if number, ok := phone.Parse(r.text[start:r.tokens[last].end], r.Country); ok {
			return number, last, true
		}
	}
	return "", 0, false
}

// isDigits reports whether a token has only digits.
func (r *reader) isDigits(i int) bool { return r.tokens[i].number >= 0 || r.isLong(i) }

// isLong reports whether a token is a number of more digits than token.number has.
func (r *reader) isLong(i int) bool {
	key := r.tokens[i].key
	return len(key) > 6 && key[0] >= '0' && key[0] <= '9'
}

// paysFrom reports whether money was sent from the phone number of these tokens.
func (r *reader) paysFrom(first, last int) bool {
	for i := max(0, first-5); i < min(len(r.tokens), last+4); i++ {
		if i > last && r.tokens[i].gap >= stop {
			break
		}
		if r.is("payment", r.tokens[i].key) {
			return true
		}
	}
	return false
}
