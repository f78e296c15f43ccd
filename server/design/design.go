// Package design holds the design tokens, such as colours and sizes, that the program's own pages
// share.
package design

import _ "embed"

// Light is a style sheet with the tokens. Dark replaces its colours in the dark theme: include it
// in a media query, or as a style sheet with one.
var (
	//go:embed light.css
	Light string
	//go:embed dark.css
	Dark string
)
