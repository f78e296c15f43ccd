package design

import "fmt"

// Accents returns a stylesheet with the accents of the dashboard for a colour such as #1a7f5a: text
// in them, and on them, is readable on light and on dark ground. It returns "" for another text.
func Accents(colour string) string {
	seed, ok := parseRGB(colour)
	if !ok {
		return ""
	}
	tone := designs[Angan].tone
	light, dark := tone.light(seed), tone.dark(seed)
	accents := func(p *palette, on, strong rgb) string {
		return fmt.Sprintf("--accent:%v;--on-accent:%v;--accent-strong:%v;--accent-soft:%v;", p.accent, on, strong, p.tint)
	}
	ofLight := accents(&light, white, mix(light.accent, darkInk, 0.2))
	ofDark := accents(&dark, dark.paper, mix(dark.accent, white, 0.2))
	return ":root{" + ofLight + "}@media(prefers-color-scheme:dark){:root:not([data-theme=light]){" + ofDark +
		"}}:root[data-theme=dark]{" + ofDark + "}"
}
