package productfile

import (
	"regexp"
	"slices"
	"strings"
)

// translatedColumns are the columns that a file can also have with the shop's second language in
// brackets, in the order of exports. Each row of a variant has those for options.
var translatedColumns = []Column{
	ColTitle, ColBody, ColSEOTitle, ColSEODescription, ColOption1Name, ColOption1Value, ColOption2Name, ColOption2Value,
	ColOption3Name, ColOption3Value, ColImageAlt,
}

// translatedFields are the fields of [Product.Translations] by their columns, except of options.
var translatedFields = map[Column]string{
	ColTitle: "title", ColBody: "descriptionHtml", ColSEOTitle: "seoTitle", ColSEODescription: "seoDescription",
}

// inBrackets matches a header such as Title [bn]. A type, as Matrixify appends, has more letters.
var inBrackets = regexp.MustCompile(`^(.+) \[([A-Za-z]{2})\]$`)

// translatedName returns the header of a column in a language.
func translatedName(c Column, language string) string {
	return columnNames[c][0] + " [" + language + "]"
}

// readTranslated reads the header of a column with a language in brackets. is is false if the
// column has none, and ok if the rows cannot be read with it.
func (p *parser) readTranslated(i int, name string) (is, ok bool) {
	match := inBrackets.FindStringSubmatch(name)
	if match == nil {
		return false, true
	}
	c := findColumn(match[1])
	if !slices.Contains(translatedColumns, c) {
		return false, true
	}
	_, again := p.translated[c]
	switch {
	case !strings.EqualFold(match[2], p.Language) && p.Language == "":
		p.Findings.Add(Place{p.line(), name}, ProblemNotAllowed,
			"The shop has no second language: choose one in its settings, or remove the column.")
	case !strings.EqualFold(match[2], p.Language):
		p.Findings.Add(Place{p.line(), name}, ProblemNotAllowed,
			"The language in brackets must be the shop's second one, %s.", p.Language)
	case again:
		p.Findings.Add(Place{p.line(), name}, ProblemColumnTwice, "The column occurs twice: remove one of the two.")
	default:
		if p.translated == nil {
			p.translated = map[Column]int{}
		}
		p.translated[c] = i
		return true, true
	}
	return true, false
}

// translate adds the text of a cell of the current row. The first row with a text counts.
func (p *parser) translate(c Column, field string) {
	i, ok := p.translated[c]
	if !ok {
		return
	}
	if p.current.Translations == nil {
		p.current.Translations, p.current.Language = map[string]string{}, p.Language
	}
	if p.current.Translations[field] == "" {
		p.current.Translations[field] = strings.Clone(p.at(i))
	}
}

// readTranslations reads the translations of the product from its first row.
func (p *parser) readTranslations() {
	if p.translated == nil {
		return
	}
	for c, field := range translatedFields {
		p.translate(c, field)
	}
	for i, name := range p.current.Options {
		p.translate(OptionName(i), OptionField+name)
	}
}

// readTranslatedValues reads the translations of a variant's option values.
func (p *parser) readTranslatedValues(v *Variant) {
	for i := range p.current.Options {
		if v.Options[i] != "" {
			p.translate(OptionValue(i), ValueField+v.Options[i])
		}
	}
}

// translatedPlace returns the column that a translation of the product was read from.
func (p *Product) translatedPlace(field string) (line int, column string) {
	if name, ok := strings.CutPrefix(field, OptionField); ok {
		if at := slices.Index(p.Options, name); at >= 0 {
			return p.Line, translatedName(OptionName(at), p.Language)
		}
	}
	if value, ok := strings.CutPrefix(field, ValueField); ok {
		for _, v := range p.Variants {
			if at := slices.Index(v.Options, value); at >= 0 {
				return v.Line, translatedName(OptionValue(at), p.Language)
			}
		}
	}
	if url, ok := strings.CutPrefix(field, AltField); ok {
		for _, image := range p.Images {
			if image.URL == url {
				return image.Line, translatedName(ColImageAlt, p.Language)
			}
		}
	}
	return p.Line, translatedName(fieldColumns[field], p.Language)
}

// translatedCells returns the cells of the translated columns in each row of a product.
func (p *Product) translatedCells(rows int) [][]string {
	all := make([][]string, rows)
	for i := range all {
		all[i] = make([]string, len(translatedColumns))
		for at, c := range translatedColumns {
			all[i][at] = p.translatedCell(c, i)
		}
	}
	return all
}

func (p *Product) translatedCell(c Column, row int) string {
	if field := translatedFields[c]; field != "" && row == 0 {
		return p.Translations[field]
	}
	if c == ColImageAlt && row < len(p.Images) {
		return p.Translations[AltField+p.Images[row].URL]
	}
	for i, name := range p.Options {
		switch {
		case c == OptionName(i) && row == 0:
			return p.Translations[OptionField+name]
		case c == OptionValue(i) && row < len(p.Variants):
			return p.Translations[ValueField+p.Variants[row].Options[i]]
		}
	}
	return ""
}
