package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/page"
)

// Media is an uploaded image.
type Media struct {
	ID         string      `json:"_id"`
	URL        string      `json:"url" doc:"URL of the largest rendition"`
	Alt        string      `json:"alt" doc:"Text alternative where it is used without one"`
	Width      int         `json:"width" doc:"Width of the largest rendition, in pixels"`
	Height     int         `json:"height" doc:"Height of the largest rendition, in pixels"`
	Bytes      int64       `json:"bytes" doc:"Size of all renditions"`
	Renditions []Rendition `json:"renditions" nullable:"false" doc:"The largest first"`
	UsedBy     int         `json:"usedBy" doc:"Number of products and collections that show it, plus one each for the logo, the design and reviews"`
	CreatedAt  time.Time   `json:"createdAt"`
}

// Rendition is one size of an uploaded image.
type Rendition struct {
	Width  int    `json:"width" doc:"Width in pixels"`
	Height int    `json:"height" doc:"Height in pixels"`
	URL    string `json:"url"`
}

// MediaFilter selects uploaded images. The zero value selects the first page of all, newest first.
type MediaFilter struct {
	page.Request
	Unused bool   `query:"unused" doc:"Only images that nothing shows"`
	Search string `query:"search" doc:"The beginnings of words of the text alternative"`
}

// mediaQuery is a validated MediaFilter.
type mediaQuery struct {
	window  page.Window
	noMatch bool // the search has no word to match
	where   string
	args    []any
}

func (f *MediaFilter) query(w page.Window) *mediaQuery {
	q := &mediaQuery{window: w, where: mediaVisible}
	if f.Unused {
		q.where += ` AND ` + mediaUnused
	}
	if strings.TrimSpace(f.Search) != "" {
		words := searchWords(input.FoldKey(f.Search))
		q.noMatch = len(words) == 0
		for _, word := range words {
			q.where += ` AND ' ' || m.alt_key LIKE ? ESCAPE '\'`
			q.args = append(q.args, "% "+likeEscaper.Replace(word)+"%")
		}
	}
	return q
}

// ListMedia returns one page of the uploaded images, newest first. Codes: validation_failed,
// unauthenticated, forbidden.
func (c *Catalogue) ListMedia(ctx context.Context, caller access.Caller, filter MediaFilter) (*page.List[Media], error) {
	address, err := c.mediaAddress(ctx)
	if err != nil {
		return nil, err
	}
	return access.ReadMany(ctx, c.data, caller, access.ToListMedia, func(tx *db.Tx, _ access.Staff) (*page.List[Media], error) {
		var bad fault.Invalid
		w := filter.Window(&bad)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		rows, total, err := filter.query(w).list(tx)
		if err != nil {
			return nil, err
		}
		list := &page.List[Media]{Nodes: make([]Media, len(rows)), Meta: w.ListMetaFor(page.Count{Total: total}, len(rows))}
		for i := range rows {
			list.Nodes[i] = rows[i].media(address)
		}
		return list, nil
	})
}

// MediaAddress is the URL below which the files of a shop's uploaded images are served, without a
// slash at its end.
type MediaAddress string

// mediaScheme begins the stored URLs of uploaded images, so that they follow the address of the
// files.
const mediaScheme = "media:"

// Resolve returns the URL of an image for buyers. stored is as in the tables: it is unchanged
// unless the image is uploaded.
func (a MediaAddress) Resolve(stored string) string {
	if path, ok := strings.CutPrefix(stored, mediaScheme); ok {
		return string(a) + "/" + path
	}
	return stored
}

// thumbnailWidth is a width that every uploaded image has, unless it is smaller.
const thumbnailWidth = 320

// ResolveThumbnail is [MediaAddress.Resolve] for a small picture in a list: for an uploaded image
// it returns the file of at most 320 pixels.
func (a MediaAddress) ResolveThumbnail(stored string) string {
	return a.resolveWithin(stored, thumbnailWidth)
}

// resolveWithin is [MediaAddress.Resolve]; for an uploaded image it returns the file of at most a
// width. Every image must have that width, unless it is smaller.
func (a MediaAddress) resolveWithin(stored string, most int) string {
	if path, ok := strings.CutPrefix(stored, mediaScheme); ok {
		id, file, _ := strings.Cut(path, "/")
		digits, format, _ := strings.Cut(file, ".")
		if width, err := strconv.Atoi(digits); err == nil && width > most {
			stored = mediaScheme + mediaPath(id, format, most)
		}
	}
	return a.Resolve(stored)
}

// mediaSize is the width and the height of a file of an uploaded image, in pixels.
type mediaSize [2]int

// mediaRef is the uploaded image of a record. The zero value means none.
type mediaRef struct {
	id, format, colour string
	sizes              []mediaSize
}

// ref returns the image in the form for records.
func (m *mediaRow) ref() mediaRef { return mediaRef{m.id, m.format, m.colour, m.sizes} }

// mediaURL matches the URL of a file of an uploaded image, on any server: its ID is a hash of its
// content.
var mediaURL = regexp.MustCompile(`^(?:media:|(?:https?://[^/]+)?/media/[^/]+/)([a-z2-7]{20})/\d+\.(?:jpg|png)$`)

// mediaIDOf returns the ID of the uploaded image in a URL, "" if the URL has another form.
func mediaIDOf(url string) string {
	if found := mediaURL.FindStringSubmatch(url); found != nil {
		return found[1]
	}
	return ""
}

// mediaRow is a row of the table media.
type mediaRow struct {
	id, alt       string
	width, height int
	bytes         int64
	format        string      // extension of its files
	sizes         []mediaSize // of its files, the largest first
	colour        string
	hashes        []string // of its files, the largest first; only set by an upload
	createdAt     int64
	deleted       bool // a staff member has removed it
	purging       bool // its files are being deleted
	usedBy        int
}

// mediaPath returns the path of a file of an uploaded image, below the shop's address.
func mediaPath(id, format string, width int) string {
	return fmt.Sprintf("%s/%d.%s", id, width, format)
}

// stored returns the URL in the form of the tables.
func (m *mediaRow) stored() string { return mediaScheme + mediaPath(m.id, m.format, m.width) }

func (m *mediaRow) media(address MediaAddress) Media {
	return Media{
		ID: m.id, URL: address.Resolve(m.stored()), Alt: m.alt, Width: m.width, Height: m.height, Bytes: m.bytes,
		Renditions: renditions(address, m.id, m.format, m.sizes), UsedBy: m.usedBy, CreatedAt: db.FromMillis(m.createdAt),
	}
}

func renditions(address MediaAddress, id, format string, sizes []mediaSize) []Rendition {
	list := make([]Rendition, len(sizes))
	for i, size := range sizes {
		list[i] = Rendition{Width: size[0], Height: size[1], URL: address.Resolve(mediaScheme + mediaPath(id, format, size[0]))}
	}
	return list
}

func parseSizes(text string) (sizes []mediaSize, err error) {
	if err := json.Unmarshal([]byte(text), &sizes); err != nil {
		return nil, fmt.Errorf("parse renditions: %w", err)
	}
	return sizes, nil
}
