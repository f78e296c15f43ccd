package main

import (
	"bytes"
	"fmt"
	"html"
	"slices"
)

// chartRows are the comparisons of the chart: requests with responses that neither server has
// cached.
var chartRows = []struct{ what, label string }{
	{"one product, uncached", "One product"},
	{"list of 20, uncached", "List of 20 products"},
	{"search, uncached", "Search"},
	{"order, 64 buyers", "Orders of 64 buyers: a whole order here, one inserted row there"},
}

// chart returns an SVG of requests per second, this server's and PocketBase's, on one scale. It is
// legible on light and dark pages.
func (r *report) chart() []byte {
	const (
		width, right = 720, 60 // right of the longest bar is its number
		group, bar   = 62, 14
		top, scaleTo = 52, width - right
	)
	most := 0.0
	for _, m := range r.Measured {
		if slices.ContainsFunc(chartRows, func(row struct{ what, label string }) bool { return row.what == m.What }) {
			most = max(most, m.Rate)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="13" `+
		`role="img" aria-label="Requests per second of Storefront and PocketBase">`+"\n", width, top+group*len(chartRows))
	b.WriteString(`<style>text{fill:#24292f}.soft{fill:#656d76}.ours{fill:#2f6f4f}.theirs{fill:#8c959f}` +
		`@media(prefers-color-scheme:dark){text{fill:#e6edf3}.soft{fill:#9198a1}.ours{fill:#57ab7d}.theirs{fill:#6e7681}}</style>` + "\n")
	fmt.Fprintf(&b, `<text x="0" y="16" font-weight="600">Requests per second, uncached</text>`+
		`<rect class="ours" x="260" y="6" width="12" height="12" rx="2"/><text x="278" y="16">Storefront</text>`+
		`<rect class="theirs" x="370" y="6" width="12" height="12" rx="2"/><text x="388" y="16">PocketBase</text>`+"\n")
	fmt.Fprintf(&b, `<text class="soft" x="0" y="34">%s, %s</text>`+"\n", r.Day, html.EscapeString(r.Machine))
	y := top
	for _, row := range chartRows {
		fmt.Fprintf(&b, `<text x="0" y="%d">%s</text>`+"\n", y+12, html.EscapeString(row.label))
		at := y + 18
		for _, m := range r.Measured {
			if m.What != row.what {
				continue
			}
			class := "ours"
			if at > y+18 {
				class = "theirs"
			}
			length := m.Rate / most * scaleTo
			fmt.Fprintf(&b, `<rect class="%s" x="0" y="%d" width="%.1f" height="%d" rx="2"/>`, class, at, length, bar)
			fmt.Fprintf(&b, `<text x="%.1f" y="%d">%.0f</text>`+"\n", length+6, at+bar-2, m.Rate)
			at += bar + 2
		}
		y += group
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
