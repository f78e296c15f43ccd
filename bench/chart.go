package main

import (
	"bytes"
	"fmt"
	"html"
)

// chart returns an SVG of the gates that are ratios: a bar for the value on a rail up to the stretch,
// and a line at the gate. It is legible on light and dark pages.
func (r *report) chart() []byte {
	const (
		width, left, right = 760, 300, 70
		line, bar          = 30, 14
	)
	ratios := []gate{}
	for _, g := range r.Gates {
		if !g.AtMost {
			ratios = append(ratios, g)
		}
	}
	height := 54 + line*len(ratios)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="13" `+
		`role="img" aria-label="Speed relative to a minimal server and to PocketBase">`+"\n", width, height)
	b.WriteString(`<style>text{fill:#24292f}.soft{fill:#656d76}.bar{fill:#2f6f4f}.missed{fill:#b35900}.rail{fill:#d0d7de}.mark{stroke:#24292f}` +
		`@media(prefers-color-scheme:dark){text{fill:#e6edf3}.soft{fill:#9198a1}.bar{fill:#57ab7d}.missed{fill:#e0823d}` +
		`.rail{fill:#3d444d}.mark{stroke:#e6edf3}}</style>` + "\n")
	fmt.Fprintf(&b, `<text x="0" y="16" font-weight="600">Storefront compared with a minimal server and PocketBase</text>`+
		`<text class="soft" x="0" y="34">%s, %s; line: the gate</text>`+"\n", r.Day, html.EscapeString(r.Machine))
	for i, g := range ratios {
		y := 54 + i*line
		full := max(g.Value, g.Stretch)
		scale := float64(width-left-right) / full
		class := "bar"
		if !g.reaches(g.Gate) {
			class = "missed"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s <tspan class="soft">/ %s</tspan></text>`,
			left-10, y+bar-2, html.EscapeString(g.What), html.EscapeString(g.Baseline))
		fmt.Fprintf(&b, `<rect class="rail" x="%d" y="%d" width="%.1f" height="%d" rx="3"/>`, left, y, full*scale, bar)
		fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d" rx="3"/>`, class, left, y, g.Value*scale, bar)
		at := float64(left) + g.Gate*scale
		fmt.Fprintf(&b, `<line class="mark" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, at, at, y-3, y+bar+3)
		fmt.Fprintf(&b, `<text x="%d" y="%d">%.2f ×</text>`+"\n", width-right+8, y+bar-2, g.Value)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
