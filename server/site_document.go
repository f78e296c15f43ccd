package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"storefront/prepared"
	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/site"
)

// serveDocument responds with a page that lists the whole catalogue. It is written in parts, like a
// long list of the API. Codes: rate_limited, and the page's.
func (s *Server) serveDocument(x *exchange, r *http.Request, page site.Page, v site.Visit) error {
	filter := site.DocumentFilter()
	if err := x.Charge(filter.Work()); err != nil {
		return err
	}
	version, err := x.shop.PageVersion(&x.deadline)
	if err != nil {
		return err
	}
	document, err := s.openDocument(x, page, v)
	if err != nil {
		return err
	}
	if err := x.MemoryHold().Add(int64(len(document.Products)) * idBytes); err != nil {
		return err
	}
	h := x.Header()
	h["Cache-Control"] = []string{"public, max-age=0, must-revalidate"}
	h["Vary"] = []string{"Accept-Encoding"}
	key := prepared.Key{Tenant: x.shop.UID(), Path: v.Origin + r.URL.Path}
	s.stream(x, r, key, version, document.Media, func(w io.Writer) error {
		_, err := w.Write(document.Begin())
		for ids := range slices.Chunk(document.Products, listPart) {
			var products []catalogue.Product
			if err == nil {
				products, err = s.loadPart(x, r, page.Catalogue(x.shop), ids)
			}
			if err == nil {
				_, err = w.Write(document.Part(products))
			}
		}
		if err == nil {
			_, err = w.Write(document.End())
		}
		return err
	})
	return nil
}

func (s *Server) openDocument(x *exchange, page site.Page, v site.Visit) (*site.Document, error) {
	release, err := x.AcquireList(&x.deadline)
	if err != nil {
		return nil, err
	}
	defer release()
	return s.sites.pages.Open(&x.deadline, page, v)
}

// stream sends a response that write writes in parts, unless the client has it. A client that gets
// an incomplete one notices: the connection ends. key and version are the request's.
func (s *Server) stream(
	x *exchange, r *http.Request, key prepared.Key, version shop.ContentVersion, media string, write func(io.Writer) error,
) {
	h := x.Header()
	compressed := prepared.AcceptsGzip(r)
	etag := `"` + strconv.FormatUint(xxhash.Sum64String(fmt.Sprint(listSeed, key, version, compressed)), 36) + `"`
	h["Etag"] = []string{etag}
	if matches(r.Header["If-None-Match"], etag) {
		delete(h, "Content-Type") // may be set already
		x.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", media)
	if compressed {
		h.Set("Content-Encoding", "gzip")
	}
	if r.Method == http.MethodHead {
		x.WriteHeader(http.StatusOK)
		return
	}
	var err error
	if compressed {
		err = prepared.Compress(x, write)
	} else {
		err = write(x)
	}
	switch {
	case err == nil:
	case x.status == 0:
		h.Del("Content-Encoding")
		h.Del("Etag")
		x.fail(err)
	case r.Context().Err() != nil: // the client has disconnected
	default:
		x.err = err
		panic(fmt.Errorf("stream a list: %w", err)) // ends the connection, so that a part is not mistaken for the whole
	}
}

// loadPart returns the products of a part of a long list when its client and the list may read.
func (s *Server) loadPart(x *exchange, r *http.Request, of *catalogue.Catalogue, ids []string) ([]catalogue.Product, error) {
	ctx, cancel := context.WithTimeout(r.Context(), s.cfg.RequestTimeout)
	defer cancel()
	select { // before the client's turn, as in limitWholeLists
	case s.wholeLists <- struct{}{}:
		defer func() { <-s.wholeLists }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	done, err := x.AcquireList(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return of.FindPublished(ctx, ids)
}
