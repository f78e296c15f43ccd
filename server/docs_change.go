package server

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"encoding/xml"
	"html/template"
	"net/http"
	"strings"

	"storefront/prepared"
)

// changesPath is the page of changes for programs, by version. Its feed has the same with .atom.
const changesPath = "/docs/changes"

// changesText is the comparison of the recorded releases, which the program in the folder
// compatibility writes.
//
//go:embed reference/changes.json
var changesText []byte

// apiRelease has the changes for programs with a version.
type apiRelease struct {
	Version  string // "" is the version that is being made
	Date     string // of the record, such as 2026-12-01
	Surfaces []struct {
		Name    string
		Changes []apiChange
	}
}

type apiChange struct {
	Subject  string // an operation, a type or a command
	Text     string
	Breaking bool
}

// routeChanges adds the page of changes and its feed.
func (s *Server) routeChanges() {
	s.routeLazy(changesPath, func() (http.Handler, error) {
		releases, err := changes()
		if err != nil {
			return nil, err
		}
		files, err := s.reference()
		if err != nil {
			return nil, err
		}
		layout, err := template.New("changes.html").Funcs(template.FuncMap{"code": markCode}).ParseFS(referenceFiles, "reference/changes.html")
		if err != nil {
			return nil, err
		}
		var html bytes.Buffer
		err = layout.Execute(&html, struct {
			*prepared.Assets
			Releases []apiRelease
		}{files, releases})
		return staticPage("text/html; charset=utf-8", html.Bytes(), referencePolicy), err
	})
	s.routeLazy(changesPath+".atom", func() (http.Handler, error) {
		feed, err := newChangesFeed(strings.TrimSuffix(s.cfg.PublicURL, "/"))
		return staticPage("application/atom+xml", feed, ""), err
	})
}

// changes returns the changes of each version, the newest first.
func changes() ([]apiRelease, error) {
	var all []apiRelease
	return all, json.Unmarshal(changesText, &all)
}

// markCode returns a text with `code` as elements.
func markCode(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			part = "<code>" + template.HTMLEscapeString(part) + "</code>"
		} else {
			part = template.HTMLEscapeString(part)
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}

// atomFeed is a feed of the Atom Syndication Format; RFC 4287.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string      `xml:"title"`
	ID      string      `xml:"id"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	Title   string   `xml:"title"`
	ID      string   `xml:"id"`
	Updated string   `xml:"updated"`
	Link    atomLink `xml:"link"`
	Summary string   `xml:"summary"`
}

// newChangesFeed returns the feed of released versions.
func newChangesFeed(publicURL string) ([]byte, error) {
	releases, err := changes()
	if err != nil {
		return nil, err
	}
	const id = "urn:storefront:changes"
	feed := atomFeed{
		Title: "Storefront: changes for programs", ID: id, Author: "Storefront",
		Links: []atomLink{{Href: publicURL + changesPath}, {"self", publicURL + changesPath + ".atom"}},
	}
	for _, r := range releases {
		if r.Version == "" {
			continue
		}
		entry := atomEntry{
			Title: "Version " + r.Version, ID: id + ":" + r.Version, Updated: r.Date + "T00:00:00Z",
			Link: atomLink{Href: publicURL + changesPath + "#v" + r.Version}, Summary: r.summary(),
		}
		if feed.Updated == "" {
			feed.Updated = entry.Updated
		}
		feed.Entries = append(feed.Entries, entry)
	}
	text, err := xml.MarshalIndent(feed, "", " ")
	return append([]byte(xml.Header), text...), err
}

// summary returns the changes as text, one a line.
func (r apiRelease) summary() string {
	var b strings.Builder
	for _, s := range r.Surfaces {
		for _, c := range s.Changes {
			b.WriteString(s.Name + ": " + c.Subject + ": " + c.Text + "\n")
		}
	}
	if b.Len() == 0 {
		return "The first version with a record."
	}
	return b.String()
}
