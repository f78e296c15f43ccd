package intake

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"storefront/shop/input"
)

// maxNameWords is the maximum number of words of a name.
const maxNameWords = 5

// segment is a run of tokens between separators that no other part of the message uses.
type segment struct {
	first, last int
	isAddress   bool
	strong      bool // it has the name of a person, or of a place
	asked       bool
}

// hasName reports whether tokens have a common name of a person, or a title before one.
func (r *reader) hasName(first, last int) bool {
	for i := first; i <= last; i++ {
		key := r.tokens[i].key
		if r.isName(key) || first < last && i < last && r.is("title", key) {
			return true
		}
	}
	return false
}

// isPersonName reports whether tokens can be the name of a person: one to five words, none of them
// of chat, goods or a place.
func (r *reader) isPersonName(first, last int) bool {
	if last-first >= maxNameWords || first > last {
		return false
	}
	titles := 0
	for i := first; i <= last; i++ {
		t := &r.tokens[i]
		isTitle := r.is("title", t.key)
		if isTitle {
			titles++
		}
		switch {
		case r.isName(t.key) || isTitle:
		case t.number >= 0,
			r.isChat(i),
			r.is("address", t.key),
			r.is("common", t.key),
			r.isPlace(i),
			r.isGoodsWord(i),
			r.values[t.key] > 0,
			r.is("counter", t.key):
			return false
		}
		if i > first && t.gap > space {
			return false
		}
	}
	return titles <= last-first
}

// isGoodsWord reports whether a token is in the title of a product, or a common word for goods.
func (r *reader) isGoodsWord(i int) bool {
	word := r.tokens[i].word
	for _, form := range append([]string{word}, stems(word)...) {
		if len(r.goods.byForm[wordKey(form)]) > 0 || len(r.spellings(form)) > 0 {
			return true
		}
	}
	return false
}

// readName finds the buyer's name: after a label, after "I am", or between separators.
func (r *reader) readName() {
	for i := 0; i < len(r.tokens); i++ {
		if r.tokens[i].role != nameRole {
			continue
		}
		last := i
		for last+1 < len(r.tokens) && r.tokens[last+1].role == nameRole && r.tokens[last+1].gap < dash {
			last++
		}
		if first, to := r.trimChat(i, last); r.isLabelledName(first, to) {
			r.setName(first, to)
			return
		}
		i = last
	}
	if !r.readIntroduction() {
		r.readAddressee()
	}
	if r.Name == "" {
		r.readCandidate()
	}
}

// isLabelledName reports whether the value of a label is a name. The label makes up for words that
// are also places or goods.
func (r *reader) isLabelledName(first, last int) bool {
	if first > last || last-first >= maxNameWords || !r.hasContent(first, last) {
		return false
	}
	for i := first; i <= last; i++ {
		if t := &r.tokens[i]; t.number >= 0 ||
			r.is("address", t.key) && !r.isName(t.key) && i > first {
			return false
		}
	}
	return first < last || !r.is("title", r.tokens[first].key)
}

func (r *reader) setName(first, last int) {
	r.mark(first, last, nameRole)
	start := r.tokens[first].start
	end := r.tokens[last].end
	r.Name = input.Cut(tidyLine(foldDigits(r.text[start:end])), input.MaxName)
	r.set(FieldName, first, last)
}

// readIntroduction finds a name in "I am Sonia" or "ami Sonia".
func (r *reader) readIntroduction() bool {
	for i := range r.tokens {
		for n := maxPhrase - 1; n > 0; n-- {
			if (r.tokens[i].role == noRole || r.tokens[i].role == goodsRole) && r.is("i am", r.phrase(i, n)) &&
				r.readIntroduced(i+n) {
				return true
			}
		}
	}
	return false
}

// readIntroduced reads the name that begins at a token, after "I am".
func (r *reader) readIntroduced(first int) bool {
	last := first - 1
	for last+1 < len(r.tokens) && r.tokens[last+1].role == noRole && r.tokens[last+1].gap <= space &&
		!r.isChat(last+1) && (r.isName(r.tokens[last+1].key) || !verb.MatchString(r.tokens[last+1].key)) {
		last++
	}
	if !r.isPersonName(first, last) || r.tokens[first].asked {
		return false
	}
	ends := last+1 == len(r.tokens) || r.tokens[last+1].gap >= dash || r.tokens[last+1].role != noRole
	if r.hasName(first, last) || ends && r.looksPersonal(segment{first: first, last: last}) {
		r.setName(first, last)
		return true
	}
	return false
}

// readAddressee finds a name at the beginning of a labelled address.
func (r *reader) readAddressee() {
	for i := range r.tokens {
		if r.tokens[i].role != addressRole || i > 0 && r.tokens[i-1].role == addressRole {
			continue
		}
		last := i
		for last+1 < len(r.tokens) && r.tokens[last+1].role == addressRole && r.tokens[last+1].gap < dash {
			last++
		}
		next := last + 1
		i, last := r.trimChat(i, last)
		if next < len(r.tokens) && r.tokens[next].role == noRole && r.tokens[next].gap < comma {
			continue
		}
		if r.isPersonName(i, last) && r.hasName(i, last) {
			r.setName(i, last)
			return
		}
	}
}

// readCandidate finds the name among the segments of the message: the only one with a common name,
// or else the only one beside a phone number that has no other meaning.
func (r *reader) readCandidate() {
	var strong, weak []segment
	all := r.segments()
	for n, s := range all {
		if s.isAddress || s.asked {
			continue
		}
		for _, part := range r.withoutChat(s) {
			if r.isPersonName(part.first, part.last) && r.hasName(part.first, part.last) {
				part.isAddress = r.continues(all, n)
				strong = append(strong, part)
			}
		}
		if !s.strong && r.isWeakName(s) && !r.continues(all, n) {
			weak = append(weak, s)
		}
	}
	if strong = r.likeliest(strong); len(strong) == 0 {
		strong = weak
	}
	if len(strong) == 1 {
		r.setName(strong[0].first, strong[0].last)
	}
}

// likeliest returns the candidates with a common name that are left if others are no part of the
// address, or beside the phone number. Without one of those, it is the only one with a title.
func (r *reader) likeliest(all []segment) []segment {
	inAddress := func(s segment) bool { return s.isAddress }
	if rest := slices.DeleteFunc(slices.Clone(all), inAddress); len(rest) > 0 {
		all = rest
	}
	if len(all) < 2 {
		return all
	}
	titled := func(s segment) bool { return r.is("title", r.tokens[s.first].key) }
	for _, fits := range []func(segment) bool{r.isBesidePhone, titled} {
		found := slices.DeleteFunc(slices.Clone(all), func(s segment) bool { return !fits(s) })
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// isWeakName reports whether a segment without a common name may be one.
func (r *reader) isWeakName(s segment) bool {
	next := s.last + 1
	isBeside := r.isBesidePhone(s) || s.first < s.last && next < len(r.tokens) &&
		r.tokens[next].gap == comma && r.is("begins address", r.tokens[next].key)
	return isBeside && r.isPersonName(s.first, s.last) && r.looksPersonal(s) && r.isWhole(s)
}

// isWhole reports whether a segment is a clause, without words of chat that were cut off.
func (r *reader) isWhole(s segment) bool {
	end := s.last + 1
	ends := end == len(r.tokens) || r.tokens[end].gap >= dash || r.tokens[end].role != noRole
	if !ends || r.tokens[s.first].gap >= dash {
		return ends
	}
	before := &r.tokens[s.first-1]
	return before.role != noRole && before.role != labelRole || before.colon
}

// looksPersonal reports whether the words of a segment may be an uncommon name: neither
// abbreviations nor words with endings of verbs and cases.
func (r *reader) looksPersonal(s segment) bool {
	for i := s.first; i <= s.last; i++ {
		key := r.tokens[i].key
		if utf8.RuneCountInString(key) < 3 ||
			!isBangla(key) && !strings.ContainsAny(key, "aeiouy") ||
			inflected.MatchString(key) {
			return false
		}
	}
	return s.last-s.first < 3
}

// verb matches words that end as verbs of the first person.
var verb = regexp.MustCompile(`(?:তেছি|তাছি|চ্ছি|েছি|ছিলাম|.{2}(?:te|ta)(?:chh?i|si))$`)

// inflected matches words that are no names.
var inflected = regexp.MustCompile(`(?:টা|টি|ছি|ছে|ছেন|বেন|লাম|তেছি|তে|ের|কে|গুলো)$`)
