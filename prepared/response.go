package prepared

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// minCompressSize is the smallest body that is compressed, in bytes: a shorter one fits into one
// packet as it is.
const minCompressSize = 1024

// Response is a body in the encodings that were asked for.
type Response struct {
	// Route is the pattern of the addresses where it is found; "": it is found by other means.
	Route string

	tenant     string
	media      []string // ready for an http.Header
	plain      *Representation
	compressed [len(codecs)]struct {
		once sync.Once
		made *Representation
	}
	bytes     atomic.Int64 // of all representations
	onEncoded func()       // told when there is one more; nil: nobody
}

// Representation is an answer's bytes in one encoding. It is not to be changed.
type Representation struct {
	Body []byte
	ETag string // names these bytes and the tenant

	// Ready for an http.Header.
	media, etag, length, encoding []string
}

// NewResponse gives an answer that its owner keeps; tenant is "" where the answer is no shop's.
func NewResponse(tenant, mediaType string, body []byte) *Response {
	a := &Response{tenant: tenant, media: []string{mediaType}}
	a.plain = a.encode(body, "")
	return a
}

func (a *Response) encode(body []byte, encoding string) *Representation {
	a.bytes.Add(int64(len(body)))
	r := &Representation{Body: body, ETag: eTag(a.tenant, body), media: a.media, length: []string{strconv.Itoa(len(body))}}
	r.etag = []string{r.ETag}
	if encoding != "" {
		r.encoding = []string{encoding}
	}
	return r
}

func (a *Response) size() int { return int(a.bytes.Load()) }

// Negotiate gives the answer as the request's Accept-Encoding wants it. Compressing waits until somebody
// wants it: most questions that are asked once are asked by programs that do not.
func (a *Response) Negotiate(r *http.Request) *Representation {
	accepted, ok := r.Header["Accept-Encoding"]
	if !ok {
		return a.plain
	}
	at := chooseCodec(accepted, len(a.plain.Body) >= minCompressSize)
	if at < 0 {
		return a.plain
	}
	packed := &a.compressed[at]
	packed.once.Do(func() {
		packed.made = a.encode(codecs[at].compress(a.plain.Body), codecs[at].name)
		if a.onEncoded != nil {
			a.onEncoded()
		}
	})
	return packed.made
}

// SetHeaders sets the header fields that belong to the bytes, but for the ETag.
func (r *Representation) SetHeaders(h http.Header) {
	h["Content-Type"] = r.media
	h["Content-Length"] = r.length
	if r.encoding != nil {
		h["Content-Encoding"] = r.encoding
	}
}

// SetETag sets the ETag.
func (r *Representation) SetETag(h http.Header) { h["Etag"] = r.etag }

// eTag names an answer's bytes. The tenant is part of it, so that two shops with equal answers do
// not pass for each other in a cache that ignores Vary. Two versions of one answer would have the
// same name once in 2^64 changes; a cryptographic hash took a seventh of the time of making a list.
func eTag(tenant string, body []byte) string {
	hash := xxhash.New()
	hash.WriteString(tenant + "\x00")
	hash.Write(body)
	return `"` + strconv.FormatUint(hash.Sum64(), 36) + `"`
}
