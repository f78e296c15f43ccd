package server

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"slices"

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

// holdLongList sets the exchange's long list if a whole list of these products is too long to build
// in memory. Codes: unavailable.
func (x *exchange) holdLongList(products *catalogue.Catalogue, ids []string) error {
	if len(ids) <= maxBuiltList {
		return nil
	}
	x.longList, x.longListOf = ids, products
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
	s.stream(x, r, key, version, "application/json", func(w io.Writer) error { return s.writeList(x, r, w) })
}

// writeList writes the exchange's long list.
func (s *Server) writeList(x *exchange, r *http.Request, w io.Writer) error {
	text, count := []byte(`{"nodes":[`), 0
	for ids := range slices.Chunk(x.longList, listPart) {
		products, err := s.loadPart(x, r, x.longListOf, ids)
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
