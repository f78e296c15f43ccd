package intake

import (
	"slices"
	"strings"
	"unicode"

	"storefront/shop/district"
)

// place is a district, or a part of one, that tokens name.
type place struct {
	end   int      // the token after it; 0 means that there is no place
	city  string   // the district; "" for a part
	areas []string // the districts that have a part of this name
	stem  string   // the name without its ending; "" if it has none
}

// findPlaces finds the places in a message, for shops in Bangladesh.
func (r *reader) findPlaces() {
	r.places = make([]place, len(r.tokens))
	for i := 0; i < len(r.tokens); i++ {
		if p := r.placeAt(i); p.end > i {
			r.places[i] = p
			i = p.end - 1
		}
	}
}

// maxPlaceWords is the maximum number of words of a place's name.
const maxPlaceWords = 3

// placeAt returns the place with the longest name that begins at a token.
func (r *reader) placeAt(i int) place {
	if r.Country != "BD" || r.isDigits(i) {
		return place{}
	}
	for n := min(maxPlaceWords, len(r.tokens)-i); n > 0; n-- {
		last := i + n - 1
		if r.isDigits(last) ||
			slices.ContainsFunc(r.tokens[i+1:i+n], func(t token) bool { return t.gap > space }) {
			continue
		}
		name := r.text[r.tokens[i].start:r.tokens[last].end]
		if len(name) < 3 || len(r.tokens[i].key) < 3 && r.tokens[min(i+1, last)].gap != soft {
			continue
		}
		for n, spelling := range append([]string{name}, r.placeStems(i, last)...) {
			p := place{end: last + 1}
			if n > 0 {
				p.stem = spelling
			}
			if city, ok := r.findCity(spelling); ok {
				p.city = city
				return p
			}
			if p.areas = district.FindArea(spelling); p.areas != nil {
				return p
			}
		}
	}
	return place{}
}

// findCity returns the district that a text names. The sadar of a district is a part of it.
func (r *reader) findCity(name string) (city string, ok bool) {
	for word := range strings.FieldsFuncSeq(name, isPunctuation) {
		if r.is("sadar", wordKey(word)) {
			return "", false
		}
	}
	return district.Find(name)
}

func isPunctuation(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }

// placeStems returns the name of one word without the endings of Bangla: ঢাকায়, সিলেটের.
func (r *reader) placeStems(first, last int) []string {
	if first != last || !isBangla(r.tokens[first].key) {
		return nil
	}
	return stems(r.tokens[first].key)
}

// isPlace reports whether a token is of a place's name, and not a person's.
func (r *reader) isPlace(i int) bool {
	for n := max(0, i-maxPlaceWords+1); n <= i; n++ {
		if p := r.places[n]; p.end > i &&
			!(p.city == "" && p.end == n+1 && r.names[r.tokens[n].key]) {
			return true
		}
	}
	return false
}
