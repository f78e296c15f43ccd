package graphql

import "storefront/shop/fault"

// Limits of a document. They bound the library's work before the first resolver runs: it validates
// each operation with each fragment, and each fragment with each other.
const (
	maxOperations = 10
	maxFragments  = 50
	maxVariables  = 100
	// maxExpansion is the maximum size of the executed operation with each fragment and the value of
	// each variable in place of each use, in bytes.
	maxExpansion = 128 << 10
)

// Units of work before execution.
const (
	bytesPerUnit    = 1 << 10
	overlapsPerUnit = 2000
)

// reach is the set of operations that need a fragment.
type reach byte

const (
	byChosen reach = 1 << iota
	byOthers
)

// measure checks the limits of the document, drops operations that are not executed, and counts the
// work before its execution. Its own work is linear in the size of the body, plus at most
// maxOverlaps pairs of fields. Codes: malformed, too_complex.
func (doc *document) measure(maxFields int) error {
	doc.work = units(len(doc.Query))
	o, p := readOutline(doc.Query)
	switch {
	case p.deep:
		return clientError(fault.CodeTooComplex,
			"The document must not be nested more than %d levels deep.", maxNesting)
	case p.badEscape:
		return clientError(fault.CodeMalformed, `Strings in the query support the escapes `+
			`\", \\, \b, \f, \n, \r, \t and \uXXXX. Send any other string as a variable.`)
	case p.failed:
		doc.sent = doc.Query // the library reports its error
		return nil
	}
	if err := o.check(); err != nil {
		return err
	}
	chosen, err := o.choose(doc.OperationName)
	if err != nil {
		return err
	}
	doc.variables, doc.operation = chosen.variables, chosen.keyword
	w := newWeigher(o, chosen, doc.Variables)
	doc.kept = doc.drop(o, chosen, w)
	return doc.weigh(doc.kept, w, maxFields)
}

// weigh counts the work of the definitions that are validated. Codes: malformed, too_complex.
func (doc *document) weigh(kept []*definition, w *weigher, maxFields int) error {
	size := 0
	for _, d := range kept {
		if err := w.expand(d); err != nil {
			return err
		}
		if d.fields > maxFields {
			return errTooManyFields()
		}
		size = max(size, d.size)
	}
	if size > maxExpansion {
		return clientError(fault.CodeTooComplex,
			"With its fragments and the values of its variables in place, "+
				"the document must not be larger than %d bytes. Use them less often.", maxExpansion)
	}
	doc.work = units(max(len(doc.Query), size))
	overlaps := maxOverlaps
	for _, d := range kept {
		if overlaps = w.countOverlaps(d.selections, overlaps); overlaps < 0 {
			doc.work += maxOverlaps / overlapsPerUnit
			return errTooManyFields()
		}
	}
	doc.work += (maxOverlaps - overlaps) / overlapsPerUnit
	return nil
}

func units(bytes int) int { return (bytes + bytesPerUnit - 1) / bytesPerUnit }

func errTooManyFields() *fault.Error {
	return clientError(fault.CodeTooComplex, "The document selects too many fields.")
}

// check returns an error if the outline has too many definitions. Codes: too_complex.
func (o *outline) check() error {
	if len(o.operations) > maxOperations {
		return clientError(fault.CodeTooComplex,
			"The document must not have more than %d operations. Send the others in requests of their own.",
			maxOperations)
	}
	if len(o.fragments) > maxFragments {
		return clientError(fault.CodeTooComplex,
			"The document must not have more than %d fragments. Write some out where they are used.",
			maxFragments)
	}
	for _, d := range o.operations {
		if len(d.variables) > maxVariables {
			return clientError(fault.CodeTooComplex,
				"An operation must not have more than %d variables. Send values as fields of an input.",
				maxVariables)
		}
	}
	return nil
}

// choose returns the operation to execute. Codes: malformed.
func (o *outline) choose(name string) (*definition, error) {
	var chosen *definition
	for _, d := range o.operations {
		if name != "" && d.name != name {
			continue
		}
		if chosen != nil && name != "" {
			return nil, clientError(fault.CodeMalformed,
				"The document must not have two operations with the name of the operationName.")
		}
		if chosen != nil {
			return nil, errOperationName()
		}
		chosen = d
	}
	if chosen == nil {
		return nil, errOperationName()
	}
	return chosen, nil
}

func errOperationName() *fault.Error {
	return clientError(fault.CodeMalformed,
		"The operationName must be the name of one of the operations in the document.")
}

func (o *outline) byName() map[string]*definition {
	if len(o.fragments) == 0 {
		return nil
	}
	fragments := make(map[string]*definition, len(o.fragments))
	for _, d := range o.fragments {
		if fragments[d.name] == nil { // the library reports the others
			fragments[d.name] = d
		}
	}
	return fragments
}

// drop removes the other operations, and the fragments that only they need, from the document, and
// returns the rest. The rest stays at its position, since errors have its line and column.
func (doc *document) drop(o *outline, chosen *definition, w *weigher) (kept []*definition) {
	for _, d := range o.operations {
		by := byOthers
		if d == chosen {
			by = byChosen
		}
		w.mark(d, by)
	}
	var text []byte
	for _, all := range [][]*definition{o.operations, o.fragments} {
		for _, d := range all {
			if d.reach != byOthers {
				kept = append(kept, d)
				continue
			}
			if text == nil {
				text = []byte(doc.Query)
			}
			for i := d.start; i < d.end; i++ {
				if text[i] != '\n' && text[i] != '\r' {
					text[i] = ' '
				}
			}
		}
	}
	if text != nil {
		doc.sent, doc.Query = doc.Query, string(text)
	}
	return kept
}

// weigher computes the sizes of definitions.
type weigher struct {
	fragments map[string]*definition
	values    map[string]int // the sizes of the values of variables
}

// newWeigher returns a weigher for an operation with the values of its variables.
func newWeigher(o *outline, chosen *definition, values map[string]any) *weigher {
	w := &weigher{fragments: o.byName(), values: make(map[string]int, len(chosen.variables))}
	for _, v := range chosen.variables {
		if w.values[v.name] == 0 {
			w.values[v.name] = sizeOf(values[v.name])
		}
		w.values[v.name] += v.byDefault
	}
	return w
}

// mark records the operations that need a definition and its fragments.
func (w *weigher) mark(d *definition, by reach) {
	if d == nil || d.reach&by != 0 {
		return
	}
	d.reach |= by
	for _, name := range d.spreads {
		w.mark(w.fragments[name], by)
	}
}

// expand sets the numbers of fields and bytes of a definition with all fragments and variables in
// place. Codes: malformed.
func (w *weigher) expand(d *definition) error {
	if d == nil || d.expanded { // the library reports an unknown fragment
		return nil
	}
	if d.open {
		return clientError(fault.CodeMalformed,
			"The fragment %q must not contain itself.", shorten(d.name))
	}
	d.open = true
	d.size = d.end - d.start
	for _, name := range d.uses {
		d.size = min(d.size+w.values[name], maxExpansion+1)
	}
	for _, name := range d.spreads {
		fragment := w.fragments[name]
		if err := w.expand(fragment); err != nil {
			return err
		}
		if fragment != nil { // sums are capped: they grow exponentially
			d.size = min(d.size+fragment.size, maxExpansion+1)
			d.fields = min(d.fields+fragment.fields, maxExpansion+1)
		}
	}
	d.open, d.expanded = false, true
	return nil
}

// sizeOf returns the approximate size of a value in JSON.
func sizeOf(value any) int {
	const scalar = 4
	switch value := value.(type) {
	case string:
		return len(value) + scalar
	case []any:
		size := scalar
		for _, item := range value {
			size += sizeOf(item)
		}
		return size
	case map[string]any:
		size := scalar
		for name, item := range value {
			size += len(name) + scalar + sizeOf(item)
		}
		return size
	}
	return scalar
}
