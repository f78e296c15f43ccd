package prepared

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// worthCompressing is the smallest body that is compressed, in bytes: a shorter one fits into one
// packet as it is.
const worthCompressing = 1024

// Answer is a body in the encodings that were asked for.
type Answer struct {
	// Route is the pattern of the addresses where it is found; "": it is found by other means.
	Route string

	tenant string
	media  []string // ready for an http.Header
	plain  *Representation
	packed [len(codecs)]struct {
		once sync.Once
		made *Representation
	}
	bytes atomic.Int64 // of all representations
	grown func()       // told when there is one more; nil: nobody
}

// Representation is an answer's bytes in one encoding. It is not to be changed.
type Representation struct {
	Body []byte
	ETag string // names these bytes and the tenant

	// Ready for an http.Header.
	media, etag, length, encoding []string
}

// NewAnswer gives an answer that its owner keeps; tenant is "" where the answer is no shop's.
func NewAnswer(tenant, mediaType string, body []byte) *Answer {
	a := &Answer{tenant: tenant, media: []string{mediaType}}
	a.plain = a.represent(body, "")
	return a
}

func (a *Answer) represent(body []byte, encoding string) *Representation {
	a.bytes.Add(int64(len(body)))
	r := &Representation{Body: body, ETag: eTag(a.tenant, body), media: a.media, length: []string{strconv.Itoa(len(body))}}
	r.etag = []string{r.ETag}
	if encoding != "" {
		r.encoding = []string{encoding}
	}
	return r
}

func (a *Answer) size() int { return int(a.bytes.Load()) }

// Negotiate gives the answer as the request's Accept-Encoding wants it. Compressing waits until somebody
// wants it: most questions that are asked once are asked by programs that do not.
func (a *Answer) Negotiate(r *http.Request) *Representation {
	accepted, ok := r.Header["Accept-Encoding"]
	if !ok {
		return a.plain
	}
	at := choose(accepted, len(a.plain.Body) >= worthCompressing)
	if at < 0 {
		return a.plain
	}
	packed := &a.packed[at]
	packed.once.Do(func() {
		packed.made = a.represent(codecs[at].compress(a.plain.Body), codecs[at].name)
		if a.grown != nil {
			a.grown()
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
