package graphql

// maxNesting is the maximum nesting of the braces and brackets of a document. The library's
// validation limits the depth of fields to less.
const maxNesting = 200

// outline is the structure of a document, without the values of its arguments.
type outline struct {
	operations []*definition
	fragments  []*definition
}

// definition is an operation or a fragment.
type definition struct {
	keyword    string // "fragment", or the kind of operation
	on         string // the type of a fragment
	name       string
	start, end int // in the document
	variables  []variable
	uses       []string // of variables, once per use
	spreads    []string // the names of fragments, once per spread
	selections []selection

	reach reach
	// open is set while expand runs. After that, fields and size include all fragments.
	open, expanded bool
	fields, size   int
}

// variable is the declaration of a variable.
type variable struct {
	name, typeName string
	byDefault      int // the length of its default value
}

// selection is a field, a spread or an inline fragment.
type selection struct {
	kind       token  // tokenName, tokenSpread or '{'
	name       string // the response name of a field, or the name of a fragment
	field, on  string // the name of a field, the type of an inline fragment
	start, end int    // of a field's alias and name
	arguments  int    // their length
	selections []selection
}

// parser reads the outline of a document, once and from its start. It is as strict as the grammar
// wherever braces, brackets and names are concerned.
type parser struct {
	scanner
	current *definition
	nesting int
	failed  bool // the document violates the grammar
	deep    bool // the document exceeds maxNesting
}

// readOutline returns the outline of a document, and the parser, which has the reason if there is
// none.
func readOutline(text string) (*outline, *parser) {
	p := &parser{scanner: scanner{text: text}}
	o := &outline{}
	for p.next(); p.kind != tokenEnd && !p.failed; {
		p.readDefinition(o)
	}
	return o, p
}

func (p *parser) readDefinition(o *outline) {
	d := &definition{start: p.start}
	p.current = d
	p.skip(tokenString) // a description
	keyword := ""
	if p.kind == tokenName {
		keyword = p.readName()
	}
	d.keyword = keyword
	switch keyword {
	case "fragment":
		d.name = p.readName()
		if p.readName() != "on" {
			p.fail()
		}
		d.on = p.readName()
		o.fragments = append(o.fragments, d)
	case "query", "mutation", "subscription":
		if p.kind == tokenName {
			d.name = p.readName()
		}
		if p.skip('(') {
			p.readVariables(d)
		}
		o.operations = append(o.operations, d)
	case "":
		d.keyword = "query"
		o.operations = append(o.operations, d)
	default:
		p.fail()
	}
	p.readDirectives()
	d.selections = p.readSelections()
}

func (p *parser) readVariables(d *definition) {
	for !p.failed && !p.skip(')') {
		p.skip(tokenString)
		p.expect('$')
		v := variable{name: p.readName()}
		p.expect(':')
		v.typeName = p.readType()
		if start := p.start; p.skip('=') {
			p.readValue()
			v.byDefault = p.start - start
		}
		p.readDirectives()
		d.variables = append(d.variables, v)
		d.uses = append(d.uses, v.name) // its value is checked
	}
}

// readType returns the text of a type. The library reports an invalid one.
func (p *parser) readType() string {
	start, end := p.start, p.start
	for p.kind == tokenName || p.kind == '[' || p.kind == ']' || p.kind == '!' {
		end = p.end
		p.next()
	}
	return p.text[start:end]
}

func (p *parser) readSelections() (all []selection) {
	p.open('{')
	for first := true; !p.failed && (first || p.kind != '}'); first = false {
		all = append(all, p.readSelection())
	}
	p.close('}')
	return all
}

func (p *parser) readSelection() selection {
	p.current.fields++
	s := selection{kind: tokenName}
	if p.skip(tokenSpread) {
		s.kind = '{'
		switch {
		case p.kind == tokenName && p.text[p.start:p.end] == "on":
			p.next()
			s.on = p.readName()
		case p.kind == tokenName:
			s.kind, s.name = tokenSpread, p.readName()
			p.current.spreads = append(p.current.spreads, s.name)
		}
	} else {
		s.start, s.end = p.start, p.end
		s.name = p.readName()
		s.field = s.name
		if p.skip(':') {
			s.end = p.end
			s.field = p.readName()
		}
		s.arguments = p.readArguments()
	}
	p.readDirectives()
	if s.kind == '{' || s.kind == tokenName && p.kind == '{' {
		s.selections = p.readSelections()
	}
	return s
}

func (p *parser) readDirectives() {
	for !p.failed && p.skip('@') {
		p.readName()
		p.readArguments()
	}
}

// readArguments reads arguments, if there are any, and returns their length.
func (p *parser) readArguments() int {
	start := p.start
	if !p.skip('(') {
		return 0
	}
	for !p.failed && !p.skip(')') {
		p.readName()
		p.expect(':')
		p.readValue()
		p.readDirectives()
	}
	return p.start - start
}

func (p *parser) readValue() {
	switch p.kind {
	case '$':
		p.next()
		p.current.uses = append(p.current.uses, p.readName())
	case '[':
		for p.open('['); !p.failed && p.kind != ']'; {
			p.readValue()
		}
		p.close(']')
	case '{':
		for p.open('{'); !p.failed && p.kind != '}'; {
			p.readName()
			p.expect(':')
			p.readValue()
		}
		p.close('}')
	case '-':
		p.next()
		p.expect(tokenNumber)
	case tokenNumber, tokenString, tokenName:
		p.next()
	default:
		p.fail()
	}
}

func (p *parser) open(kind token) {
	if p.nesting++; p.nesting > maxNesting {
		p.deep = true
		p.fail()
	}
	p.expect(kind)
}

// close ends the last opened brace or bracket. The last closed definition ends there.
func (p *parser) close(kind token) {
	p.nesting--
	p.current.end = p.end
	p.expect(kind)
}

func (p *parser) readName() string {
	name := p.text[p.start:p.end]
	p.expect(tokenName)
	return name
}

// skip reads a token if it is of a kind, and reports whether it is.
func (p *parser) skip(kind token) bool {
	if p.failed || p.kind != kind {
		return false
	}
	p.next()
	return true
}

// expect reads a token, which must be of a kind.
func (p *parser) expect(kind token) {
	if !p.skip(kind) {
		p.fail()
	}
}

func (p *parser) fail() { p.failed = true }
