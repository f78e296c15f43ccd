package design

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"storefront/db"
)

// Published is a design that pages have.
type Published struct {
	Document // complete
	// Stylesheet has the custom properties of the design, and Hash identifies its content.
	Stylesheet, Hash string
	// LightBar and DarkBar are the colours of the browser's bars.
	LightBar, DarkBar string
}

// cached is the live design as of a version of the shop's pages.
type cached struct {
	pages  uint64
	design *Published
}

// newPublished returns a document as pages need it.
func newPublished(document Document) *Published {
	p := &Published{Document: document.Complete()}
	p.Stylesheet = p.stylesheet()
	sum := sha256.Sum256([]byte(p.Stylesheet))
	p.Hash = hex.EncodeToString(sum[:6])
	p.LightBar, p.DarkBar = p.bars()
	return p
}

// Published returns the design that buyers see. It must not be modified.
func (d *Designs) Published(ctx context.Context) (*Published, error) {
	pages, _, err := d.data.Store.PageVersion(ctx, d.data.ID)
	if err != nil {
		return nil, err
	}
	if known := d.published.Load(); known != nil && known.pages == pages {
		return known.design, nil
	}
	var live Document
	err = d.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		found, err := d.findDesign(tx)
		if err == nil {
			live = found.Live
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	found := newPublished(live)
	d.published.Store(&cached{pages, found})
	return found, nil
}

// Draft returns the design as it would be published now, for a preview.
func (d *Designs) Draft(ctx context.Context) (*Published, error) {
	var draft Document
	err := d.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		found, err := d.findDesign(tx)
		if err == nil {
			draft = found.Draft
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return newPublished(draft), nil
}
