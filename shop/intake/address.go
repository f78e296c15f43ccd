package intake

import (
	"regexp"
	"slices"
	"strings"

	"storefront/shop/input"
)

// span is a run of tokens.
type span struct{ first, last int }

// readAddress finds the address: what labels say, or else the segments that have words of
// addresses.
func (r *reader) readAddress() {
	spans := r.labelledAddress()
	if len(spans) == 0 {
		spans = r.foundAddress()
	}
	if len(spans) == 0 {
		return
	}
	r.setCity(spans)
	r.setArea(spans)
	r.setLines(r.withoutLeadingCity(spans))
}

// withoutLeadingCity returns the spans of an address without the district at their beginning, if
// its parts follow: "Dhaka, Mirpur 10". It stays in a name such as "Dhaka Cantonment".
func (r *reader) withoutLeadingCity(spans []span) []span {
	s := spans[0]
	p := r.places[s.first]
	if p.city == "" || p.city != r.City || isLabelled(r.tokens[s.first].role) {
		return spans
	}
	switch {
	case p.end > s.last && len(spans) > 1:
		return spans[1:]
	case p.end <= s.last && (r.tokens[p.end].gap >= comma || slices.Contains(r.places[p.end].areas, r.City)):
		spans[0].first = p.end
	}
	return spans
}

// isLabelled reports whether a role is of the value of a label for a part of an address.
func isLabelled(of role) bool { return of == thanaRole || of == cityRole }

// isAddressRole reports whether a token is part of a labelled address.
func (r *reader) isAddressRole(i int) bool {
	switch r.tokens[i].role {
	case addressRole, thanaRole, cityRole:
		return true
	}
	return false
}

// labelledAddress returns the values of labels for addresses and their parts, and the segments of
// addresses beside them.
func (r *reader) labelledAddress() []span {
	spans := r.labelledSpans()
	if len(spans) == 0 {
		return nil
	}
	all := r.segments()
	for n, s := range all {
		if r.isBesideAddress(all[n:]) {
			r.mark(s.first, s.last, addressRole)
			spans = append(spans, span{s.first, s.last})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return a.first - b.first })
	return spans
}

// isBesideAddress reports whether a segment belongs to the labelled address before or behind it.
func (r *reader) isBesideAddress(all []segment) bool {
	s := all[0]
	isAddress := func(i int) bool { return i >= 0 && i < len(r.tokens) && r.isAddressRole(i) }
	before, behind := isAddress(s.first-1), isAddress(s.last+1)
	return (before || behind) && s.isPart() && s.strong ||
		before && behind && r.isBetweenParts(s) && r.tokens[s.last+1].gap <= comma ||
		before && r.tokens[s.first].gap <= comma && r.leadsToPlace(all)
}

// leadsToPlace reports whether a comma joins a segment to a part of an address behind it.
func (r *reader) leadsToPlace(all []segment) bool {
	if len(all) < 2 || r.Name == "" && all[0].strong || !r.isBetweenParts(all[0]) {
		return false
	}
	next := all[1]
	return r.adjoins(all, 0, 1) && r.tokens[next.first].gap <= comma && next.isPart() && next.strong
}

// labelledSpans returns the values of labels for addresses and their parts.
func (r *reader) labelledSpans() (spans []span) {
	for i := 0; i < len(r.tokens); i++ {
		if !r.isAddressRole(i) {
			continue
		}
		last := i
		for last+1 < len(r.tokens) && r.isAddressRole(last+1) {
			last++
		}
		if first, to := r.trimChat(i, last); first <= to && r.hasContent(first, to) {
			spans = append(spans, span{first, to})
		}
		i = last
	}
	return spans
}

// hasContent reports whether tokens have more than words of chat.
func (r *reader) hasContent(first, last int) bool {
	for i := first; i <= last; i++ {
		if t := &r.tokens[i]; t.number >= 0 || len(t.key) > 1 && !r.isChat(i) && !r.is("and", t.key) {
			return true
		}
	}
	return false
}

// foundAddress returns the segments of the message that are of an address. Segments that follow one
// another are one part of it. A part without a place or a number counts only if all are.
func (r *reader) foundAddress() (spans []span) {
	all := r.segments()
	var weak []span
	for n := 0; n < len(all); {
		end := n + 1
		for end < len(all) && r.adjoins(all, end-1, end) {
			end++
		}
		part, certain := r.addressPart(all[n:end])
		if certain {
			spans = append(spans, part...)
		} else {
			weak = append(weak, part...)
		}
		n = end
	}
	if len(spans) == 0 {
		return weak
	}
	return spans
}

// addressPart returns the segments of an address in segments that follow one another: from the
// first to the last that has words of addresses, and the ones that commas join to them. certain
// means that it has a place, or a number with a word of addresses.
func (r *reader) addressPart(all []segment) (spans []span, certain bool) {
	isJoined := func(n int) bool { return r.tokens[all[n].first].gap <= comma }
	first := slices.IndexFunc(all, func(s segment) bool { return s.isPart() && s.strong })
	if first < 0 {
		return nil, false
	}
	for first > 0 && isJoined(first) && (all[first-1].isPart() || r.joins(all[first-1])) {
		first--
	}
	last := len(all) - 1
	for !all[last].isPart() && !(r.Name != "" && r.joins(all[last]) && isJoined(last)) {
		last--
	}
	for _, s := range all[first : last+1] {
		if s.isPart() || r.isBetweenParts(s) {
			spans = append(spans, span{s.first, s.last})
			certain = certain || r.isCertain(s)
		}
	}
	return spans, certain
}

// isBetweenParts reports whether a segment between two of an address is one, too.
func (r *reader) isBetweenParts(s segment) bool {
	return !s.isAddress && !s.asked && !r.hasChat(s)
}

// isPart reports whether a segment has words of addresses.
func (s segment) isPart() bool { return s.isAddress && !s.asked }

// joins reports whether a segment without words of addresses may be of one.
func (r *reader) joins(s segment) bool { return !s.strong && !s.asked && !r.hasChat(s) }

// isCertain reports whether a segment has a place, or a number with a word of addresses.
func (r *reader) isCertain(s segment) bool {
	word, number := false, false
	for i := s.first; i <= s.last; i++ {
		if r.places[i].end > 0 {
			return true
		}
		word = word || r.is("address", r.tokens[i].key)
		number = number || r.tokens[i].number >= 0
	}
	return word && number
}

func (r *reader) hasChat(s segment) bool {
	for i := s.first; i <= s.last; i++ {
		if r.isChat(i) {
			return true
		}
	}
	return false
}

// adjoins reports whether two segments follow one another within a sentence, or in two lines.
func (r *reader) adjoins(all []segment, a, b int) bool {
	if a < 0 || b >= len(all) {
		return false
	}
	for i := all[a].last + 1; i < all[b].first; i++ {
		if r.tokens[i].role != noRole || r.tokens[i].gap == stop {
			return false
		}
	}
	return r.tokens[all[b].first].gap != stop
}

// setLines sets the address and the postcode. The district at its end, and a labelled part of it
// that has a line of its own, are left out.
func (r *reader) setLines(spans []span) {
	var lines []string
	first, last := -1, -1
	labelled := false
	for n, s := range spans {
		if s.first > s.last {
			continue
		}
		if first < 0 {
			first = s.first
		}
		last = s.last
		text := r.withoutDistrictLabel(s, len(spans) > 1)
		for i := s.first; i <= s.last; i++ {
			labelled = labelled || r.tokens[i].role == cityRole
		}
		if text == "" {
			continue
		}
		if n > 0 && len(lines) > 0 && spans[n-1].last+1 == s.first {
			// The text between two segments stays, as in "House 12. Dhanmondi".
			between := foldDigits(r.text[r.tokens[spans[n-1].last].end:r.tokens[s.first].start])
			if !strings.ContainsAny(between, "\n,।") {
				lines[len(lines)-1] += between + text
				continue
			}
		}
		lines = append(lines, text)
	}
	address := strings.Join(lines, ", ")
	r.Address, r.Postcode = r.cutCity(address, labelled)
	r.Address = input.Cut(r.Address, r.MaxText)
	r.set(FieldAddress, first, last)
	if r.Postcode != "" {
		r.Sources = append(r.Sources, Source{FieldPostcode, r.Postcode})
	}
}

// withoutDistrictLabel returns the text of a span without a labelled district: "Zila: Bhola". With
// form, it also omits a labelled police station that has a line of its own.
func (r *reader) withoutDistrictLabel(s span, form bool) string {
	var parts []string
	from := s.first
	for i := s.first; i <= s.last; i++ {
		if r.tokens[i].role != cityRole || r.City == "" {
			continue
		}
		label := i
		for label > from && r.labels[r.tokens[label-1].key].kind == "district" {
			label--
		}
		if label > from {
			parts = append(parts, r.written(from, label-1))
		}
		for i < s.last && r.tokens[i+1].role == cityRole {
			i++
		}
		from = i + 1
	}
	if form && from <= s.last && r.tokens[from].gap == line &&
		r.labels[r.tokens[from].key].kind == "thana" &&
		!slices.ContainsFunc(
			r.tokens[from+1:s.last+1],
			func(t token) bool { return t.role != thanaRole },
		) {
		return strings.Join(parts, ", ")
	}
	if from <= s.last {
		parts = append(parts, r.written(from, s.last))
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// endingPostcode matches a postcode at the end of an address, as in "Dhaka-1216".
var endingPostcode = regexp.MustCompile(`[ ,-]*\b(\d{4})$`)

// cutCity returns an address without the district at its end, and without a postcode there.
func (r *reader) cutCity(address string, labelled bool) (rest, postcode string) {
	rest = address
	if at := endingPostcode.FindStringSubmatchIndex(rest); at != nil && r.City != "" {
		rest, postcode = rest[:at[0]], rest[at[2]:at[3]]
	}
	words := scan(rest)
	for n := 1; n <= maxPlaceWords && n <= len(words) && !labelled; n++ {
		at := &words[len(words)-n]
		if found, ok := r.findCity(rest[at.start:]); !ok || found != r.City {
			continue
		}
		if n == len(words) { // nothing but the district
			return "", postcode
		}
		before := &words[len(words)-n-1]
		kind, strict := r.labels[before.key].kind, r.labels[before.key].strict
		if kind == "thana" || kind == "part" || strings.Contains(at.before, "+") {
			break
		}
		if rest = rest[:at.start]; kind == "district" && !strict {
			rest = rest[:before.start]
		}
		rest = tidyLine(rest)
		break
	}
	if rest == "" {
		return address, ""
	}
	return rest, postcode
}
