package site

import (
	"context"
	"net/http"
	"strings"

	"storefront/shop/design"
)

// The path of a design's stylesheet, with the hash of its content.
const (
	tokensName    = "/design.css"
	tokensPattern = FilesPath + "{name}" + tokensName
)

// addDesign adds the design to a page with the stylesheet of a kind.
func (s *Site) addDesign(ctx context.Context, r *request, f *frame, style string) (err error) {
	if f.Design, err = r.findDesign(ctx); err != nil {
		return err
	}
	f.Tokens = r.page.preview + FilesPath + f.Design.Hash + tokensName
	f.Style, err = s.files.path(styleName(style, f.Design.Design))
	return err
}

// findDesign returns the design that the request sees.
func (r *request) findDesign(ctx context.Context) (*design.Published, error) {
	if r.page.preview != "" {
		return r.Shop.Designs.Draft(ctx)
	}
	return r.Shop.Designs.Published(ctx)
}

// tokens is the stylesheet of the design.
func (s *Site) tokens(ctx context.Context, r *request) (*Response, error) {
	found, err := r.findDesign(ctx)
	if err != nil {
		return nil, err
	}
	return &Response{Status: http.StatusOK, Media: "text/css; charset=utf-8", Body: []byte(found.Stylesheet)}, nil
}

// StyleHash returns the hash in the path of the stylesheet of the published design; ok is false for
// other pages.
func (p Page) StyleHash() (hash string, ok bool) {
	return p.name, p.Route == "site "+tokensPattern && p.preview == ""
}

// DesignName returns the name of the design.
func (f *frame) DesignName() design.Name { return f.Design.Design }

// HeroWidth returns the width of a hero's picture on a wide screen.
func (f *frame) HeroWidth() string {
	if f.Design.Design == design.Alo {
		return "100vw"
	}
	return "480px"
}

// cutPreview returns the beginning of a path that permits to see the draft, and the rest.
func cutPreview(path string) (preview, rest string) {
	after, ok := strings.CutPrefix(path, design.PreviewPath)
	if !ok {
		return "", path
	}
	token, rest, _ := strings.Cut(after, "/")
	return design.PreviewPath + token, "/" + rest
}

// Preview returns the token of a page with the draft; ok is false if the page is not a preview.
func (p Page) Preview() (token string, ok bool) {
	return strings.CutPrefix(p.preview, design.PreviewPath)
}
