// Package design has the design tokens that the program's own pages share.
package design

import _ "embed"

// Light is a style sheet with the tokens. Dark replaces the colours of it where they are on a dark
// ground: include it in a media query, or as a style sheet with one.
var (
	//go:embed light.css
	Light string
	//go:embed dark.css
	Dark string
)
