package site

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strings"

	"storefront/site/orderpage"
)

//go:embed page section
var pageSources embed.FS

// pageTemplate is the template of one kind of page.
type pageTemplate struct {
	*template.Template
}

// kinds are the kinds of pages: each has a template of its name and the stylesheet.
var kinds = map[string]struct {
	style   string
	scripts []string
}{
	"home":     {style: "home"},
	"list":     {style: "list", scripts: []string{"search.js", "list.js"}},
	"product":  {style: "product", scripts: []string{"product.js", "drawer.js"}},
	"text":     {style: "text"},
	"landing":  {style: "landing", scripts: []string{"landing.js", "work.js"}},
	"message":  {style: "list", scripts: []string{"search.js"}},
	"cart":     {style: "form"},
	"checkout": {style: "form", scripts: []string{"checkout.js", "work.js"}},
	"order":    {style: "form"},
	"account":  {style: "form"},
	"sign-in":  {style: "form", scripts: []string{"work.js"}},
}

// parseTemplates parses the template of each kind with the frame and the parts that pages share.
func parseTemplates(f *files) (map[string]*pageTemplate, error) {
	functions := template.FuncMap{"file": f.path}
	parse := func(to *template.Template, name string) error {
		source, err := pageSources.ReadFile(name)
		if err == nil {
			_, err = to.Parse(dropIndents(source))
		}
		if err != nil {
			return fmt.Errorf("parse page %s: %w", name, err)
		}
		return nil
	}
	shared := template.New("").Funcs(functions)
	if err := errors.Join(parse(shared, "page/frame.html"), parse(shared, "page/part.html"), parse(shared, "page/form.html")); err != nil {
		return nil, err
	}
	if _, err := shared.Parse(dropIndents([]byte(orderpage.Body))); err != nil {
		return nil, fmt.Errorf("parse order: %w", err)
	}
	all := map[string]*pageTemplate{}
	for kind := range kinds {
		own, err := shared.Clone()
		if err != nil {
			return nil, fmt.Errorf("copy frame: %w", err)
		}
		if err := parse(own, "page/"+kind+".html"); err != nil {
			return nil, err
		}
		all[kind] = &pageTemplate{own}
	}
	sections, err := pageSources.ReadDir("section")
	if err != nil {
		return nil, fmt.Errorf("list sections: %w", err)
	}
	for _, file := range sections {
		kind := strings.TrimSuffix(file.Name(), ".html")
		if err := parse(shared.New(kind), "section/"+file.Name()); err != nil {
			return nil, err
		}
	}
	all[sectionKind] = &pageTemplate{shared}
	return all, nil
}

// sectionKind is the name of the templates of sections. Each has the name of its kind.
const sectionKind = "section"

// html renders a page of a kind, or one of its parts.
func (s *Site) execute(kind, part string, data any) ([]byte, error) {
	var body bytes.Buffer
	if err := s.templates[kind].ExecuteTemplate(&body, part, data); err != nil {
		return nil, fmt.Errorf("render %s: %w", kind, err)
	}
	return body.Bytes(), nil
}

// dropIndents removes the indents and empty lines of a template, which browsers ignore.
func dropIndents(source []byte) string {
	var out strings.Builder
	for line := range bytes.Lines(source) {
		if line = bytes.TrimLeft(line, " \t"); len(bytes.TrimSpace(line)) > 0 {
			out.Write(line)
		}
	}
	return out.String()
}

// plainText returns the beginning of sanitized HTML as text, at most limit characters.
func plainText(content string, limit int) string {
	text := []rune(strings.Join(strings.Fields(textOf(content)), " "))
	if len(text) <= limit {
		return string(text)
	}
	beginning := string(text[:limit-1])
	if at := strings.LastIndex(beginning, " "); at > 0 {
		beginning = beginning[:at]
	}
	return beginning + "…"
}

var tags = regexp.MustCompile(`<[^>]*>`)

func textOf(content string) string {
	return html.UnescapeString(tags.ReplaceAllString(content, " "))
}
