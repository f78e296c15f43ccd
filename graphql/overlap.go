package graphql

import "slices"

// bytesPerOverlap is the number of bytes of names and arguments that cost as much as a pair of
// fields.
const bytesPerOverlap = 32

// overlapCounter counts the pairs of selections that the library's validation compares, to find
// fields of one name that differ. It mirrors that comparison for two reasons: the library compares
// the content of fragments with all siblings, and does not stop at its own limit before it has
// compared all pairs of two fragments.
type overlapCounter struct {
	fragments map[string]*definition
	left      int // pairs that may still be compared
}

// countOverlaps returns the number of pairs left after a definition, less than zero if there are
// too many.
func (w *weigher) countOverlaps(selections []selection, left int) int {
	c := &overlapCounter{fragments: w.fragments, left: left}
	c.within(selections)
	return c.left
}

// within counts the pairs of one set of selections and of the sets in it.
func (c *overlapCounter) within(set []selection) {
	for i := range set {
		c.within(set[i].selections)
	}
	if len(set) < 2 {
		return
	}
	fields, fragments := split(set)
	for _, group := range fields {
		for i, a := range group {
			c.pairs(a, group[i+1:])
		}
	}
	for i, fragment := range fragments {
		c.withFields(fragment, fields)
		c.pairs(fragment, fragments[i+1:])
	}
}

// withFields counts the pairs of a fragment and the fields beside it. Only a fragment that consists
// of fields is compared by name.
func (c *overlapCounter) withFields(fragment *selection, fields map[string][]*selection) {
	inner := c.inner(fragment)
	if c.left -= len(inner); c.left < 0 {
		return
	}
	if !slices.ContainsFunc(inner, func(s selection) bool { return s.kind != tokenName }) {
		for i := range inner {
			c.pairs(fragment, fields[inner[i].name])
		}
		return
	}
	for _, group := range fields {
		c.pairs(fragment, group)
	}
}

func (c *overlapCounter) pairs(a *selection, others []*selection) {
	for i := 0; i < len(others) && c.left >= 0; i++ {
		c.pair(a, others[i])
	}
}

// pair counts two selections and the pairs that they contain.
func (c *overlapCounter) pair(a, b *selection) {
	if a == b {
		return
	}
	if c.left--; c.left < 0 {
		return
	}
	switch {
	case a.kind != tokenName:
		inner := c.inner(a)
		for i := 0; i < len(inner) && c.left >= 0; i++ {
			c.pair(&inner[i], b)
		}
	case b.kind != tokenName:
		inner := c.inner(b)
		for i := 0; i < len(inner) && c.left >= 0; i++ {
			c.pair(a, &inner[i])
		}
	case a.name == b.name:
		c.left -= (len(a.name) + a.arguments + b.arguments) / bytesPerOverlap
		c.across(a.selections, b.selections)
	}
}

// across counts the pairs of the sets of two fields of one name.
func (c *overlapCounter) across(a, b []selection) {
	if len(a) == 0 || len(b) == 0 {
		return
	}
	if c.left -= len(a) + len(b); c.left < 0 {
		return
	}
	fields, fragments := split(b)
	for i := range a {
		if a[i].kind == tokenName {
			c.pairs(&a[i], fields[a[i].name])
			c.pairs(&a[i], fragments)
			continue
		}
		for j := 0; j < len(b) && c.left >= 0; j++ {
			c.pair(&a[i], &b[j])
		}
	}
}

// inner returns the selections of a fragment.
func (c *overlapCounter) inner(fragment *selection) []selection {
	if fragment.kind != tokenSpread {
		return fragment.selections
	}
	if d := c.fragments[fragment.name]; d != nil {
		return d.selections
	}
	return nil
}

// split returns the fields of a set by their names, and its fragments.
func split(set []selection) (fields map[string][]*selection, fragments []*selection) {
	fields = make(map[string][]*selection, len(set))
	for i := range set {
		if s := &set[i]; s.kind == tokenName {
			fields[s.name] = append(fields[s.name], s)
		} else {
			fragments = append(fragments, s)
		}
	}
	return fields, fragments
}
