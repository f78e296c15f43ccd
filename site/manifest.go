package site

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"path"
	"strings"
)

// Colours of the page's head, and of the shop's icon; see base.css.
const (
	paperColor = "#fbf7f0"
	brandColor = "#27497a"
)

// iconPath is the path of the icon of a shop without a logo.
const iconPath = "/icon.svg"

// icon returns the address of the shop's icon: its logo, otherwise its first letter.
func (f *frame) icon() string {
	if f.Logo.URL != "" {
		return f.Logo.URL
	}
	return iconPath
}

// icon is the first letter of the shop's name on its colour.
func (s *Site) icon(ctx context.Context, r *request) (*Response, error) {
	f, err := s.newFrame(ctx, r, "text")
	if err != nil {
		return nil, err
	}
	text := &xmlText{}
	text.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" fill="` + brandColor +
		`"/><text x="256" y="264" fill="#fff" font-family="Georgia, 'Noto Serif Bengali', serif" font-size="280" text-anchor="middle"` +
		` dominant-baseline="central">`)
	_ = xml.EscapeText(text, []byte(strings.ToUpper(f.Initial()))) // a buffer never fails
	text.WriteString("</text></svg>\n")
	return &Response{Status: http.StatusOK, Media: "image/svg+xml", Body: text.Bytes()}, nil
}

// manifestIcon is an icon of a manifest.
type manifestIcon struct {
	Source  string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type,omitempty"`
	Purpose string `json:"purpose,omitempty"`
}

// manifest describes the shop to browsers that install it. See https://www.w3.org/TR/appmanifest/.
func (s *Site) manifest(ctx context.Context, r *request) (*Response, error) {
	f, err := s.newFrame(ctx, r, "text")
	if err != nil {
		return nil, err
	}
	types := map[string]string{".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
	icons := []manifestIcon{{Source: iconPath, Sizes: "any", Type: "image/svg+xml", Purpose: "any maskable"}}
	if f.Logo.URL != "" {
		icons = append([]manifestIcon{{Source: f.Logo.URL, Sizes: "any", Type: types[strings.ToLower(path.Ext(f.Logo.URL))]}}, icons...)
	}
	body, err := json.Marshal(map[string]any{
		"name": f.Name, "short_name": cut(f.Name, 24), "lang": f.Lang, "id": f.Home, "start_url": f.Home, "scope": "/",
		"display": "minimal-ui", "background_color": paperColor, "theme_color": paperColor, "icons": icons,
	})
	if err != nil {
		return nil, err
	}
	return &Response{Status: http.StatusOK, Media: "application/manifest+json", Body: body}, nil
}
