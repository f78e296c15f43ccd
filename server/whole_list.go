package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"storefront/prepared"
	"storefront/shop"
	"storefront/shop/catalogue"
	"storefront/shop/page"
	"storefront/transport"
)

const (
	// maxBuiltList is the number of products of a whole list (limit=-1) up to which its response is
	// built in memory and cached. A longer one is streamed.
	maxBuiltList = 500
	// listPart is the number of products of a streamed list that are in memory together.
	listPart = 50
	// idBytes is the memory for the ID of a product.
	idBytes = 64
)

// holdLongList sets the exchange's long list if a whole list of these IDs is too long to build in
// memory. Codes: unavailable.
func (x *exchange) holdLongList(ids []string) error {
	if len(ids) <= maxBuiltList {
		return nil
	}
	x.longList = ids
	return x.MemoryHold().Add(int64(len(ids)) * idBytes)
}

// listSeed distinguishes this process's ETags of streamed lists: they follow from the content
// version, which counts within a process.
var listSeed = rand.Text()

// streamList sends the exchange's long list in parts, each with a turn and a deadline of its own: a
// client that reads slowly neither holds the list in memory nor delays others. Products that are
// deleted or hidden since are omitted. key and version are the request's.
func (s *Server) streamList(x *exchange, r *http.Request, key prepared.Key, version shop.ContentVersion) {
	h := x.Header()
	h["Cache-Control"], h["Vary"] = cacheCatalogue, varyCatalogue
	compressed := prepared.AcceptsGzip(r)
	etag := `"` + strconv.FormatUint(xxhash.Sum64String(fmt.Sprint(listSeed, key, version, compressed)), 36) + `"`
	h["Etag"] = []string{etag}
	if matches(r.Header["If-None-Match"], etag) {
		delete(h, "Content-Type") // set when the list was found
		x.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "application/json")
	if compressed {
		h.Set("Content-Encoding", "gzip")
	}
	if r.Method == http.MethodHead {
		x.WriteHeader(http.StatusOK)
		return
	}
	var err error
	if compressed {
		err = prepared.Compress(x, func(w io.Writer) error { return s.writeList(x, r, w) })
	} else {
		err = s.writeList(x, r, x)
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

// writeList writes the exchange's long list.
func (s *Server) writeList(x *exchange, r *http.Request, w io.Writer) error {
	text, count := []byte(`{"nodes":[`), 0
	for ids := range slices.Chunk(x.longList, listPart) {
		products, err := s.loadPart(x, r, ids)
		if err != nil {
			return err
		}
		for i := range products {
			one, err := transport.Marshal(&products[i])
			if err != nil {
				return err
			}
			if count++; count > 1 {
				text = append(text, ',')
			}
			text = append(text, one...)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		text = text[:0]
	}
	meta, err := transport.Marshal(page.Window{Limit: page.NoLimit}.MetaFor(count))
	if err == nil {
		_, err = fmt.Fprintf(w, "],\"meta\":%s}\n", meta)
	}
	return err
}

// loadPart returns the products of a part of a long list when its client and the list may read.
func (s *Server) loadPart(x *exchange, r *http.Request, ids []string) ([]catalogue.Product, error) {
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
	return x.shop.Catalogue.FindPublished(ctx, ids)
}
