package intake

import (
	"slices"
	"strings"
)

// segments returns what the message has beside labels, phone numbers and goods. Words of chat are
// cut off, or leave nothing of it.
func (r *reader) segments() (all []segment) {
	for i := 0; i < len(r.tokens); {
		if r.tokens[i].role != noRole {
			i++
			continue
		}
		last := i
		for last+1 < len(r.tokens) && r.tokens[last+1].role == noRole && r.tokens[last+1].gap < dash &&
			!r.endsInstruction(last) {
			last++
		}
		all = append(all, r.splitSegment(i, last)...)
		i = last + 1
	}
	return all
}

// readQuotes marks lines that quote another message, unless all do, and questions about charges:
// "> Mug, Dhaka 70, outside 130".
func (r *reader) readQuotes() {
	isQuoted := func(t token) bool {
		begin := t.before[strings.LastIndex(t.before, "\n")+1:]
		return strings.HasPrefix(strings.TrimLeft(begin, " "), ">")
	}
	plain := slices.ContainsFunc(r.tokens, func(t token) bool { return t.gap == line && !isQuoted(t) })
	of := noRole
	for i := range r.tokens {
		t := &r.tokens[i]
		if t.gap == line && plain && isQuoted(*t) {
			of = quoteRole
		} else if t.gap == line {
			of = noRole
		}
		t.role = of
		if r.is("charge area", t.key) {
			r.markCharges(i)
		}
	}
}

// markCharges marks the clause of a token as a question, and the one before if it ends in a number.
func (r *reader) markCharges(i int) {
	end := i + 1
	for end < len(r.tokens) && r.tokens[end].gap < comma {
		end++
	}
	start := i
	for n := 0; start >= 0 && n < 2; n++ {
		for start > 0 && r.tokens[start].gap < comma {
			start--
		}
		if start == 0 || r.tokens[start].gap > comma || r.tokens[start-1].number < 0 {
			break
		}
		start--
	}
	for ; start < end; start++ {
		r.tokens[start].asked = true
	}
}

// splitSegment returns the segments in a run of tokens: a name of a person before an address is one
// of its own.
func (r *reader) splitSegment(first, last int) []segment {
	first, last = r.trimChat(first, last)
	if first > last {
		return nil
	}
	place := first
	for place <= last && !r.isEvidence(place) {
		place++
	}
	s := segment{first: first, last: last, asked: r.tokens[first].asked}
	if place > last {
		s.strong = r.hasName(first, last)
		return []segment{s}
	}
	if r.followsName(first, place) {
		name := segment{first: first, last: place - 1, strong: true, asked: s.asked}
		return append([]segment{name}, r.splitSegment(place, last)...)
	}
	s.isAddress = true
	for i := first; i <= last; i++ {
		s.strong = s.strong || r.isEvidence(i) && r.tokens[i].number < 0
	}
	return []segment{s}
}

// followsName reports whether an address begins at a token, behind the name of a person.
func (r *reader) followsName(first, place int) bool {
	t := &r.tokens[place]
	begins := t.number >= 0 || r.isPlace(place) || r.is("begins address", t.key)
	return begins && t.gap >= space && !r.isHouseName(first, place) &&
		r.isPersonName(first, place-1) && r.hasName(first, place-1)
}

// isHouseName reports whether one word before a word for a house is its name: "Chowdhury bari".
func (r *reader) isHouseName(first, place int) bool {
	return place == first+1 && r.labels[r.tokens[place].key].kind == "home" &&
		(place+1 == len(r.tokens) || r.tokens[place+1].number < 0)
}

// trimChat returns a run of tokens without the words of chat at its ends.
func (r *reader) trimChat(first, last int) (from, to int) {
	for first <= last && r.isChat(first) && (first == last || r.tokens[first+1].gap > soft) {
		first++
	}
	for first <= last && r.isChat(last) && (first == last || r.tokens[last].gap > soft) {
		last--
	}
	return first, last
}

// isChat reports whether a token is a word of chat, and not of a place's name.
func (r *reader) isChat(i int) bool {
	return r.is("chat", r.tokens[i].key) && !(r.places != nil && r.isPlace(i)) && !r.isInName(i) &&
		!r.belongsToPlace(i) && !(r.is("before address", r.tokens[i].key) && r.precedes(i, "address"))
}

// precedes reports whether a word of a kind, or one with an ending, follows a token directly.
func (r *reader) precedes(i int, kind string) bool {
	if i+1 == len(r.tokens) || r.tokens[i+1].gap > space {
		return false
	}
	key := r.tokens[i+1].key
	return r.is(kind, key) || slices.ContainsFunc(stems(key), func(s string) bool { return r.is(kind, s) })
}

// belongsToPlace reports whether a token is part of an address only by the token before it: "block
// A", "Mirpur 1 number", "Road 27 (old)".
func (r *reader) belongsToPlace(i int) bool {
	if i == 0 || r.tokens[i].gap > dash {
		return false
	}
	before := &r.tokens[i-1]
	return r.tokens[i].gap <= space && len(r.tokens[i].key) == 1 && r.is("begins address", before.key) ||
		before.role != phoneRole && before.number > 0 && before.number < 100 &&
			r.is("ordinal", r.tokens[i].key)
}

// isInName reports whether a token is a common name beside another one: Abdus Salam.
func (r *reader) isInName(i int) bool {
	isName := func(n int) bool { return n >= 0 && n < len(r.tokens) && r.isName(r.tokens[n].key) }
	return isName(i) &&
		(r.tokens[i].gap <= space && isName(i-1) || i+1 < len(r.tokens) && r.tokens[i+1].gap <= space && isName(i+1))
}

// isEvidence reports whether a token is of an address.
func (r *reader) isEvidence(i int) bool {
	t := &r.tokens[i]
	return r.is("address", t.key) || t.number >= 0 || r.isPlace(i) || r.phrase(i, 2) == "c o"
}

// withoutChat returns the parts of a segment between words of chat.
func (r *reader) withoutChat(s segment) (parts []segment) {
	for i := s.first; i <= s.last; i++ {
		if r.isChat(i) {
			continue
		}
		last := i
		for last < s.last && !r.isChat(last+1) {
			last++
		}
		parts = append(parts, segment{first: i, last: last})
		i = last
	}
	return parts
}

// continues reports whether a segment continues an address, after a comma.
func (r *reader) continues(all []segment, n int) bool {
	return n > 0 && all[n-1].isAddress && all[n-1].strong && r.adjoins(all, n-1, n) &&
		r.tokens[all[n].first].gap <= comma
}

// isBesidePhone reports whether a segment is directly before or behind a phone number.
func (r *reader) isBesidePhone(s segment) bool {
	isPhone := func(i int) bool { return i >= 0 && i < len(r.tokens) && r.tokens[i].role == phoneRole }
	last := s.last + 1
	for last < len(r.tokens) && r.tokens[last].role == labelRole {
		last++
	}
	return isPhone(s.first-1) || isPhone(last)
}

// endsInstruction reports whether a colon that follows a token ends a request, as in "send
// it to him: Rahim". The visarga of a title is no such colon.
func (r *reader) endsInstruction(i int) bool {
	return r.tokens[i].colon && !r.is("title", r.tokens[i].key)
}
