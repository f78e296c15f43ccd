package postgres

import (
	"fmt"
	"slices"
	"strings"
)

// column names of the engine in a tenant's tables.
const (
	shopColumn   = "shop"
	numberColumn = "number" // of a full-text index: the row that the entry belongs to
)

// engineTables are the tables that schema.sql must not define. The tables of schema.sql have a
// column shop in addition.
var engineTables = []string{"meta", "shops", "engine_state", "installations", "shared_values", "shared_locks"}

// schema is a schema of tenants' data, translated for shared tables.
type schema struct {
	tables map[string]*table
	order  []*table // referenced tables first, otherwise by name
	ddl    []string // statements that create the tables: create, indexes and references
	// create, indexes and references are the parts of ddl.
	create, indexes, references []string
	rows                        []string // statements of the schema that insert a new tenant's first rows, not translated
}

// table is a table of a tenant's data.
type table struct {
	name    string
	columns []string   // in order, without generated ones
	key     []string   // the primary key, without the shop
	refers  []string   // tables that its foreign keys refer to
	foreign [][]string // columns of its foreign keys
	lookups [][]string // columns of its keys and indexes
	index   bool       // a full-text index, which is derived data
}

// parseSchema translates a schema.sql to shared tables: each begins with the column shop, which
// also begins all keys and indexes. Foreign keys come last, since tables may refer to later ones.
func parseSchema(text string) (*schema, error) {
	tokens, err := tokenize(text)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	p := &schemaParser{schema: schema{tables: map[string]*table{}}}
	for len(tokens) > 0 {
		end := slices.IndexFunc(tokens, func(t token) bool { return t.is(";") })
		if end < 0 {
			end = len(tokens)
		}
		if err := p.statement(tokens[:end]); err != nil {
			return nil, fmt.Errorf("schema: %s: %w", join(tokens[:min(end, 6)]), err)
		}
		tokens = tokens[min(end+1, len(tokens)):]
	}
	p.indexReferences()
	p.ddl = slices.Concat(p.create, p.indexes, p.references)
	return &p.schema, p.sort()
}

type schemaParser struct{ schema }

func (p *schemaParser) statement(tokens []token) error {
	virtual := begins(tokens, "create", "virtual", "table")
	switch {
	case !virtual && slices.ContainsFunc(tokens, func(t token) bool { return t.kind == option }):
		return errToken
	case begins(tokens, "create", "table"):
		return p.table(tokens[2:])
	case virtual:
		return p.fullText(tokens[3:])
	case begins(tokens, "create", "index"):
		return p.indexOn(tokens[2:], "CREATE INDEX")
	case begins(tokens, "create", "unique", "index"):
		return p.indexOn(tokens[3:], "CREATE UNIQUE INDEX")
	case begins(tokens, "insert", "into"):
		p.rows = append(p.rows, join(tokens))
		return nil
	case len(tokens) == 0:
		return nil
	}
	return errToken
}

func begins(tokens []token, words ...string) bool {
	for i, w := range words {
		if i >= len(tokens) || !tokens[i].is(w) {
			return false
		}
	}
	return true
}

func (p *schemaParser) add(name token) (*table, error) {
	if name.kind != word || !isName(name.text) || slices.Contains(engineTables, name.text) || p.tables[name.text] != nil {
		return nil, fmt.Errorf("table %s: %w", name.text, errToken)
	}
	t := &table{name: name.text}
	p.tables[t.name] = t
	p.order = append(p.order, t)
	return t, nil
}

// table translates CREATE TABLE.
func (p *schemaParser) table(tokens []token) error {
	if len(tokens) < 2 {
		return errToken
	}
	t, err := p.add(tokens[0])
	if err != nil {
		return err
	}
	body, _, err := group(tokens[1:])
	if err != nil {
		return err
	}
	d := &definition{table: t, lines: []string{shopColumn + " bigint NOT NULL"}}
	for _, part := range split(body) {
		if len(part) == 0 {
			return errToken
		}
		if part[0].is("constraint", "primary", "unique", "check", "foreign") {
			err = d.constraint(part)
		} else {
			err = d.column(part)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", join(part), err)
		}
	}
	if len(t.key) == 0 {
		return fmt.Errorf("table %s has no primary key", t.name)
	}
	lines := append(d.lines, d.constraints...)
	p.create = append(p.create, "CREATE TABLE "+t.name+" (\n\t"+strings.Join(lines, ",\n\t")+"\n)")
	p.references = append(p.references, d.references...)
	return nil
}

// definition collects the parts of a CREATE TABLE.
type definition struct {
	*table
	lines, constraints []string
	references         []string
}

// types of PostgreSQL by the types of SQLite's STRICT tables. Text sorts by its bytes, as in
// SQLite.
var types = map[string]string{
	"integer": "bigint", "text": `text COLLATE "C"`, "blob": "bytea", "real": "double precision",
}

// column translates the definition of a column.
func (d *definition) column(tokens []token) error {
	name := tokens[0]
	if len(tokens) < 2 || name.kind != word || !isName(name.text) || name.text == shopColumn {
		return errToken
	}
	typ, ok := types[tokens[1].text]
	if !ok {
		return errToken
	}
	c := column{name: name.text, line: name.text + " " + typ}
	for rest := tokens[2:]; len(rest) > 0; {
		var err error
		if rest, err = d.columnOption(&c, rest); err != nil {
			return err
		}
	}
	if !c.generated {
		d.columns = append(d.columns, c.name)
	}
	d.lines = append(d.lines, c.line)
	return nil
}

// column is a column whose definition is being translated.
type column struct {
	name, line string
	generated  bool
}

// columnOption translates the first of the options behind a column's type and returns the others.
func (d *definition) columnOption(c *column, tokens []token) (rest []token, err error) {
	switch {
	case begins(tokens, "not", "null"):
		c.line += " NOT NULL"
		return tokens[2:], nil
	case begins(tokens, "primary", "key"):
		d.primaryKey([]string{c.name})
		return tokens[2:], nil
	case begins(tokens, "unique"):
		d.unique([]string{c.name})
		return tokens[1:], nil
	case begins(tokens, "default") && len(tokens) > 1:
		c.line += " DEFAULT " + tokens[1].text
		return tokens[2:], nil
	case begins(tokens, "check"):
		return d.check("", tokens)
	case begins(tokens, "references"):
		return d.reference([]string{c.name}, tokens)
	case begins(tokens, "generated", "always", "as"):
		body, rest, err := group(tokens[3:])
		if err != nil || !begins(rest, "stored") {
			return nil, errToken
		}
		c.line += " GENERATED ALWAYS AS (" + join(body) + ") STORED"
		c.generated = true
		return rest[1:], nil
	}
	return nil, errToken
}

// constraint translates a constraint of a table.
func (d *definition) constraint(tokens []token) error {
	name := ""
	if begins(tokens, "constraint") && len(tokens) > 2 {
		name, tokens = "CONSTRAINT "+tokens[1].text+" ", tokens[2:]
	}
	var err error
	rest := tokens
	switch {
	case begins(tokens, "check"):
		rest, err = d.check(name, tokens)
	case begins(tokens, "primary", "key"):
		var columns []string
		if columns, rest, err = nameList(tokens[2:]); err == nil {
			d.primaryKey(columns)
		}
	case begins(tokens, "unique"):
		var columns []string
		if columns, rest, err = nameList(tokens[1:]); err == nil {
			d.unique(columns)
		}
	case begins(tokens, "foreign", "key"):
		var columns []string
		if columns, rest, err = nameList(tokens[2:]); err == nil {
			rest, err = d.reference(columns, rest)
		}
	}
	if err == nil && len(rest) > 0 {
		err = errToken
	}
	return err
}

func (d *definition) primaryKey(columns []string) {
	d.key = columns
	d.lookups = append(d.lookups, columns)
	d.constraints = append(d.constraints, "PRIMARY KEY "+scopedList(columns))
}

func (d *definition) unique(columns []string) {
	d.lookups = append(d.lookups, columns)
	d.constraints = append(d.constraints, "UNIQUE "+scopedList(columns))
}

// check translates CHECK (…), in which json_valid(x) becomes a conversion that fails for other
// text, and x IS NULL OR json_valid(x) too.
func (d *definition) check(name string, tokens []token) (rest []token, err error) {
	body, rest, err := group(tokens[1:])
	if err != nil {
		return nil, err
	}
	valid := body
	if len(body) > 4 && begins(body[1:], "is", "null", "or", "json_valid") {
		valid = body[4:]
	}
	if begins(valid, "json_valid", "(") {
		argument, behind, err := group(valid[1:])
		if err != nil || len(behind) > 0 {
			return nil, errToken
		}
		d.constraints = append(d.constraints, name+"CHECK ("+join(argument)+" IS NULL OR "+join(argument)+"::json IS NOT NULL)")
		return rest, nil
	}
	for i, t := range body {
		if t.kind == word && i+1 < len(body) && body[i+1].is("(") && !t.isKeyword() && !functions[t.text] {
			return nil, fmt.Errorf("function %s: %w", t.text, errToken)
		}
	}
	d.constraints = append(d.constraints, name+"CHECK ("+join(body)+")")
	return rest, nil
}

// reference translates REFERENCES table (columns) ON DELETE …. It is deferrable, so that an import
// may insert rows before the rows that they refer to.
func (d *definition) reference(columns []string, tokens []token) (rest []token, err error) {
	if len(tokens) < 2 || tokens[1].kind != word {
		return nil, errToken
	}
	to := tokens[1].text
	targets, rest, err := nameList(tokens[2:])
	if err != nil {
		return nil, err
	}
	action := ""
	switch {
	case begins(rest, "on", "delete", "cascade"):
		action, rest = " ON DELETE CASCADE", rest[3:]
	case begins(rest, "on", "delete", "set", "null"):
		action, rest = " ON DELETE SET NULL ("+strings.Join(columns, ", ")+")", rest[4:]
	}
	d.refers, d.foreign = append(d.refers, to), append(d.foreign, columns)
	d.references = append(d.references, "ALTER TABLE "+d.name+" ADD FOREIGN KEY "+scopedList(columns)+
		" REFERENCES "+to+" "+scopedList(targets)+action+" DEFERRABLE")
	return rest, nil
}

// fullText translates a table of FTS5: one document for each row that it indexes. One inverted
// index serves all tenants, since its lexemes begin with the tenant's, see [db.Tx.Scope].
func (p *schemaParser) fullText(tokens []token) error {
	if len(tokens) < 4 || !begins(tokens[1:], "using", "fts5") {
		return errToken
	}
	t, err := p.add(tokens[0])
	if err != nil {
		return err
	}
	t.index, t.key, t.columns = true, []string{numberColumn}, []string{numberColumn, "doc"}
	p.create = append(p.create, "CREATE TABLE "+t.name+" (\n\t"+shopColumn+" bigint NOT NULL,\n\t"+
		numberColumn+" bigint NOT NULL,\n\tdoc tsvector NOT NULL,\n\tPRIMARY KEY ("+shopColumn+", "+numberColumn+")\n)")
	p.indexes = append(p.indexes, "CREATE INDEX "+t.name+"_doc ON "+t.name+" USING gin (doc)")
	return nil
}

// indexOn translates CREATE INDEX. The tokens begin after its keywords.
func (p *schemaParser) indexOn(tokens []token, create string) error {
	if len(tokens) < 4 || !tokens[1].is("on") || p.tables[tokens[2].text] == nil {
		return errToken
	}
	t := p.tables[tokens[2].text]
	columns, rest, err := group(tokens[3:])
	if err != nil {
		return err
	}
	statement := create + " " + tokens[0].text + " ON " + t.name + " (" + shopColumn + ", " + join(columns) + ")"
	names, _, _ := nameList(tokens[3:]) // nil if it has an expression
	if len(rest) > 0 {
		if !rest[0].is("where") {
			return errToken
		}
		statement += " WHERE " + join(rest[1:])
		if len(names) > 0 && join(rest[1:]) != names[0]+" is not null" {
			names = nil // it lacks rows that a reference has
		}
	}
	t.lookups = append(t.lookups, names)
	p.indexes = append(p.indexes, statement)
	return nil
}

// indexReferences adds an index for each foreign key that no other index serves. Otherwise deleting
// a row would read all rows of the tenant to check for references: the time for deleting a tenant
// would grow with the square of its rows.
func (p *schemaParser) indexReferences() {
	for _, t := range p.order {
		for _, columns := range t.foreign {
			if slices.ContainsFunc(t.lookups, func(l []string) bool { return len(l) >= len(columns) && slices.Equal(l[:len(columns)], columns) }) {
				continue
			}
			t.lookups = append(t.lookups, columns)
			p.indexes = append(p.indexes, "CREATE INDEX "+t.name+"_by_"+strings.Join(columns, "_")+" ON "+t.name+" "+scopedList(columns)+
				" WHERE "+strings.Join(columns, " IS NOT NULL AND ")+" IS NOT NULL")
		}
	}
}

// sort orders the tables by their references.
func (p *schemaParser) sort() error {
	tables := p.order
	slices.SortFunc(tables, func(a, b *table) int { return strings.Compare(a.name, b.name) })
	var ordered []*table
	visited := map[*table]bool{}
	var visit func(t *table)
	visit = func(t *table) {
		if visited[t] {
			return
		}
		visited[t] = true
		for _, name := range slices.Sorted(slices.Values(t.refers)) {
			if to := p.tables[name]; to != nil {
				visit(to)
			}
		}
		ordered = append(ordered, t)
	}
	for _, t := range tables {
		visit(t)
		for _, name := range t.refers {
			if p.tables[name] == nil {
				return fmt.Errorf("schema: table %s refers to an unknown table %s", t.name, name)
			}
		}
	}
	p.order = ordered
	return nil
}

// group returns the tokens in the parentheses that tokens begins with, and the tokens behind them.
func group(tokens []token) (body, rest []token, err error) {
	if len(tokens) == 0 || !tokens[0].is("(") {
		return nil, nil, errToken
	}
	depth := 0
	for i, t := range tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
		if depth == 0 {
			return tokens[1:i], tokens[i+1:], nil
		}
	}
	return nil, nil, errToken
}

// split returns the parts between the commas that are not in parentheses.
func split(tokens []token) (parts [][]token) {
	depth, start := 0, 0
	for i, t := range tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case t.is(",") && depth == 0:
			parts = append(parts, tokens[start:i])
			start = i + 1
		}
	}
	return append(parts, tokens[start:])
}

// nameList returns the names in the parentheses that tokens begins with.
func nameList(tokens []token) (names []string, rest []token, err error) {
	body, rest, err := group(tokens)
	if err != nil {
		return nil, nil, err
	}
	for _, part := range split(body) {
		if len(part) != 1 || part[0].kind != word {
			return nil, nil, errToken
		}
		names = append(names, part[0].text)
	}
	return names, rest, nil
}

// scopedList returns a list of columns that begins with the shop.
func scopedList(columns []string) string {
	return "(" + shopColumn + ", " + strings.Join(columns, ", ") + ")"
}
