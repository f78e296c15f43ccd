package site

import (
	"net/url"
	"path"
	"strings"

	"storefront/shop/catalogue"
	image "storefront/shop/picture"
)

// preview is the picture for links in messages. The zero value means none.
type preview struct {
	URL           string
	Width, Height int // 0 means unknown
}

// setPreview sets the picture for links to an image. An uploaded image has a preview of its own; of
// others the picture is the image.
func (f *frame) setPreview(shown *catalogue.Image) {
	switch {
	case shown == nil:
	case len(shown.Renditions) > 0:
		widths := make([]int, len(shown.Renditions))
		for i, size := range shown.Renditions {
			widths[i] = size.Width
		}
		folder, _ := path.Split(shown.Renditions[0].URL)
		f.Preview = preview{f.absolute(folder + image.PreviewFile(widths)), image.PreviewWidth, image.PreviewHeight}
	case f.setPreviewURL(shown.URL) && shown.Width != nil && shown.Height != nil:
		f.Preview.Width, f.Preview.Height = *shown.Width, *shown.Height
	}
}

// setPreviewURL sets the picture for links and reports whether it can be one. The services that
// show links ignore SVG.
func (f *frame) setPreviewURL(address string) bool {
	to, err := url.Parse(address)
	if err != nil || address == "" || strings.EqualFold(path.Ext(to.Path), ".svg") {
		return false
	}
	f.Preview = preview{URL: f.absolute(address)}
	return f.Preview.URL != ""
}
