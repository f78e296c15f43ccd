package prepared

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// minCompressSize is the smallest body that is compressed, in bytes: a shorter one fits into one
// packet uncompressed.
const minCompressSize = 1024

// Response is a body in the encodings that were requested so far. It is safe for concurrent use.
type Response struct {
	// Route is the path pattern of the operation. It is "" if the response is not looked up by path.
	Route string

	tenant     string
	media      []string // in the form of an http.Header value
	plain      *Representation
	compressed [len(codecs)]struct {
		once           sync.Once
		representation *Representation
	}
	bytes     atomic.Int64 // of all representations
	onEncoded func()       // called after a representation was added; may be nil
}

// Representation is the body of a response in one encoding. It must not be modified.
type Representation struct {
	Body []byte
	ETag string // identifies these bytes and the tenant

	// In the form of http.Header values.
	media, etag, length, encoding []string
}

// NewResponse returns a response that is in no cache. tenant is "" if it belongs to no shop.
func NewResponse(tenant, mediaType string, body []byte) *Response {
	resp := &Response{tenant: tenant, media: []string{mediaType}}
	resp.plain = resp.addRepresentation(body, "")
	return resp
}

func (resp *Response) addRepresentation(body []byte, encoding string) *Representation {
	resp.bytes.Add(int64(len(body)))
	r := &Representation{Body: body, ETag: eTag(resp.tenant, body), media: resp.media, length: []string{strconv.Itoa(len(body))}}
	r.etag = []string{r.ETag}
	if encoding != "" {
		r.encoding = []string{encoding}
	}
	return r
}

func (resp *Response) size() int { return int(resp.bytes.Load()) }

// Negotiate returns the representation that the request's Accept-Encoding prefers. The body is
// compressed on the first request for an encoding: most unique requests come from programs that
// accept no encoding.
func (resp *Response) Negotiate(r *http.Request) *Representation {
	accepted, ok := r.Header["Accept-Encoding"]
	if !ok {
		return resp.plain
	}
	at := chooseCodec(accepted, len(resp.plain.Body) >= minCompressSize)
	if at < 0 {
		return resp.plain
	}
	compressed := &resp.compressed[at]
	compressed.once.Do(func() {
		compressed.representation = resp.addRepresentation(codecs[at].compress(resp.plain.Body), codecs[at].name)
		if resp.onEncoded != nil {
			resp.onEncoded()
		}
	})
	return compressed.representation
}

// SetHeaders sets Content-Type, Content-Length and Content-Encoding.
func (r *Representation) SetHeaders(h http.Header) {
	h["Content-Type"] = r.media
	h["Content-Length"] = r.length
	if r.encoding != nil {
		h["Content-Encoding"] = r.encoding
	}
}

// SetETag sets the ETag.
func (r *Representation) SetETag(h http.Header) { h["Etag"] = r.etag }

// eTag returns the tag of a body. It covers the tenant, so that a cache that ignores Vary cannot
// confuse two shops with equal bodies. Two versions of a body share a tag once in 2^64 changes. A
// cryptographic hash would take a seventh of the time of building a list.
func eTag(tenant string, body []byte) string {
	hash := xxhash.New()
	hash.WriteString(tenant + "\x00")
	hash.Write(body)
	return `"` + strconv.FormatUint(hash.Sum64(), 36) + `"`
}

// Send writes the response in the encoding that the client prefers, or 304 if the client has it.
func (resp *Response) Send(w http.ResponseWriter, r *http.Request, status int, caching string) {
	representation := resp.Negotiate(r)
	header := w.Header()
	header.Set("Cache-Control", caching)
	header.Add("Vary", "Accept-Encoding")
	representation.SetETag(header)
	if status == http.StatusOK && slices.Contains(r.Header["If-None-Match"], representation.ETag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	representation.SetHeaders(header)
	w.WriteHeader(status)
	_, _ = w.Write(representation.Body) // the client may be gone
}
