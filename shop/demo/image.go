package demo

import (
	"embed"
	"strings"
)

// The drawings are fragments of SVG on an 800×800 canvas. Colours that depend on the product are
// placeholders: $main, $dark, $light, $accent or $ink.
//
//go:embed pictograms/*.svg
var pictograms embed.FS

//go:embed logo.svg
var logo string

const logoName = "logo.svg"

// Image returns the SVG picture with a name, or false if there is none.
//
// A name consists of a drawing and a colour, such as "saree-red.svg"; the prefix "collection-"
// selects a darker background. "logo.svg" is the shop's logo. The result depends on the name only.
func Image(name string) ([]byte, bool) {
	if name == logoName {
		return []byte(logo), true
	}
	base, ok := strings.CutSuffix(name, ".svg")
	if !ok {
		return nil, false
	}
	base, banner := strings.CutPrefix(base, "collection-")
	drawing, colour, ok := strings.Cut(base, "-")
	if !ok {
		return nil, false
	}
	p, ok := palettes[colour]
	if !ok {
		return nil, false
	}
	// An embedded file system rejects paths outside its folder.
	figure, err := pictograms.ReadFile("pictograms/" + drawing + ".svg")
	if err != nil {
		return nil, false
	}
	return render(string(figure), p, banner), true
}

const frame = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="800" viewBox="0 0 800 800">` +
	`<linearGradient id="g" x2=".6" y2="1"><stop stop-color="$from"/><stop offset="1" stop-color="$to"/></linearGradient>` +
	`<path fill="url(#g)" d="M0 0h800v800H0z"/>`

const (
	productGround = `<circle cx="400" cy="400" r="312" fill="#fff" opacity=".38"/>` +
		`<ellipse cx="400" cy="694" rx="208" ry="20" fill="$ink" opacity=".13"/>`
	bannerGround = `<g fill="#fff"><circle cx="400" cy="400" r="380" opacity=".13"/><circle cx="400" cy="400" r="318" opacity=".82"/></g>` +
		`<g transform="translate(400 400)scale(.76)translate(-400 -408)">`
)

func render(figure string, p palette, banner bool) []byte {
	from, to := p.ground.mix(white, 0.72), p.ground.mix(white, 0.34)
	before, after := productGround, "</svg>\n"
	if banner {
		from, to = p.main.mix(p.ground, 0.45), p.main.mix(ink, 0.12)
		before, after = bannerGround, "</g></svg>\n"
	}
	paint := strings.NewReplacer(
		"$main", p.main.String(),
		"$dark", p.main.mix(ink, 0.34).String(),
		"$light", p.main.mix(white, 0.52).String(),
		"$accent", p.accent.String(),
		"$ink", ink.String(),
		"$from", from.String(),
		"$to", to.String(),
	)
	return []byte(paint.Replace(frame + before + strings.TrimSpace(figure) + after))
}
