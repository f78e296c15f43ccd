package shoptest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // decoder
	"image/png"
	"slices"
	"sync"
	"testing"

	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/picture"
)

// Media stores the files of uploaded images in memory, and creates them from the size of PNG and
// JPEG images. It implements [catalogue.MediaFiles]. The zero value is ready.
type Media struct {
	// Before is called before each operation; an error prevents it. nil means that it is not
	// called.
	Before func(operation, id string) error
	// Hosts has the images of other hosts by URL.
	Hosts map[string][]byte

	mu    sync.Mutex
	files map[string]int // number of files by ID
}

// before calls Before.
func (m *Media) before(operation, id string) error {
	if m.Before == nil {
		return nil
	}
	return m.Before(operation, id)
}

// Fetch implements [catalogue.MediaFiles].
func (m *Media) Fetch(_ context.Context, url string) (*catalogue.MediaUpload, error) {
	if err := m.before("fetch", url); err != nil {
		return nil, err
	}
	body, ok := m.Hosts[url]
	if !ok {
		return nil, fault.Errorf(fault.CodeImageInvalid, "%s has no image.", url)
	}
	return &catalogue.MediaUpload{ContentType: "image/png", Body: body}, nil
}

// Process implements [catalogue.MediaFiles].
func (m *Media) Process(_ context.Context, contentType string, body []byte) (*picture.Image, error) {
	if contentType != "image/png" && contentType != "image/jpeg" {
		return nil, fault.Errorf(fault.CodeUnsupportedMediaType, "Send a PNG or JPEG image.")
	}
	found := &picture.Image{ID: picture.ID(body), Format: picture.PNG}
	if err := m.before("process", found.ID); err != nil {
		return nil, err
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(body))
	if err != nil {
		return nil, &fault.Error{Code: fault.CodeImageInvalid, Message: "The image file is damaged.", Err: err}
	}
	found.Width, found.Height = config.Width, config.Height
	for _, width := range []int{config.Width, 320, 160} {
		if width < config.Width || len(found.Files) == 0 {
			height := max(config.Height*width/config.Width, 1)
			file := picture.File{Width: width, Height: height, Data: make([]byte, width)}
			found.Files = append(found.Files, file)
		}
	}
	return found, nil
}

// Put implements [catalogue.MediaFiles].
func (m *Media) Put(_ context.Context, img *picture.Image) error {
	if err := m.before("put", img.ID); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[string]int{}
	}
	m.files[img.ID] = len(img.Files)
	return nil
}

// Delete implements [catalogue.MediaFiles].
func (m *Media) Delete(_ context.Context, id string) error {
	if err := m.before("delete", id); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, id)
	return nil
}

// IDs returns the IDs of the images with stored files, sorted.
func (m *Media) IDs() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids := []string{}
	for id := range m.files {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// PNG returns an image of one colour. Other numbers have other content.
func PNG(tb testing.TB, width, height, number int) []byte {
	tb.Helper()
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.RGBA{uint8(number), uint8(number >> 8), 7, 255}})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		tb.Fatalf("encode %s: %v", fmt.Sprint(width, "x", height), err)
	}
	return b.Bytes()
}
