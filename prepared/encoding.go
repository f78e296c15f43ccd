package prepared

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Written by hand: the standard library does not parse Accept-Encoding, and a handler that
// compresses would do so for each request.

// codec is a content coding.
type codec struct {
	name     string
	compress func([]byte) []byte
}

// codecs are the supported codings, best first: zstd needs less time on both sides.
var codecs = [...]codec{
	{"zstd", compressZstd},
	{"gzip", compressGzip},
}

// zstdWriter compresses a whole body into one frame. It holds one buffer per processor.
var zstdWriter = sync.OnceValue(func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		panic(err) // the options above are constant
	}
	return w
})

func compressZstd(body []byte) []byte {
	return bytes.Clone(zstdWriter().EncodeAll(body, make([]byte, 0, len(body)/2)))
}

var gzipWriters = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

func compressGzip(body []byte) []byte {
	var compressed bytes.Buffer
	compressed.Grow(len(body) / 2)
	_ = Compress(&compressed, func(w io.Writer) error { // into memory
		_, err := w.Write(body)
		return err
	})
	return bytes.Clone(compressed.Bytes())
}

// Compress writes what write writes to w in gzip, unless write fails.
func Compress(w io.Writer, write func(io.Writer) error) error {
	compressor := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(compressor)
	compressor.Reset(w)
	if err := write(compressor); err != nil {
		return err
	}
	return compressor.Close()
}

// chooseCodec returns the index of the codec for the values of an Accept-Encoding field, or -1 for
// the uncompressed bytes. preferCompressed decides if the client has no preference. A client that
// accepts none of the available codings gets the uncompressed bytes, which every client can read.
func chooseCodec(accepted []string, preferCompressed bool) int {
	weights := parseWeights(accepted)
	best := -1
	for i, weight := range weights.codecs {
		if weight > 0 && (best < 0 || weight > weights.codecs[best]) {
			best = i
		}
	}
	switch {
	case best < 0:
		return -1
	case weights.identity <= 0: // excluded by the client
		return best
	case !preferCompressed, weights.identity > weights.codecs[best]:
		return -1
	}
	return best
}

// AcceptsGzip reports whether a client accepts gzip and does not prefer uncompressed bytes.
func AcceptsGzip(r *http.Request) bool {
	accepted := parseWeights(r.Header["Accept-Encoding"])
	return accepted.gzip() > 0 && accepted.gzip() >= accepted.identity
}

// weights are the client's preferences (q values) per coding, in thousandths.
type weights struct {
	codecs   [len(codecs)]int
	identity int
}

func (w *weights) gzip() int {
	return w.codecs[slices.IndexFunc(codecs[:], func(c codec) bool { return c.name == "gzip" })]
}

// unspecified is the weight of a coding that the field does not list.
const unspecified = -1

// parseWeights parses an Accept-Encoding field (RFC 9110, 12.5.3).
func parseWeights(accepted []string) weights {
	w := weights{identity: unspecified}
	for i := range w.codecs {
		w.codecs[i] = unspecified
	}
	others := unspecified
	for _, value := range accepted {
		for item := range strings.SplitSeq(value, ",") {
			name, parameters, _ := strings.Cut(item, ";")
			weight := parseQuality(parameters)
			switch name = strings.TrimSpace(name); {
			case name == "*":
				others = weight
			case strings.EqualFold(name, "identity"):
				w.identity = weight
			case strings.EqualFold(name, "x-gzip"): // the name of gzip before its registration
				name = "gzip"
				fallthrough
			default:
				for i := range codecs {
					if strings.EqualFold(name, codecs[i].name) {
						w.codecs[i] = weight
					}
				}
			}
		}
	}
	for i := range w.codecs {
		if w.codecs[i] == unspecified {
			w.codecs[i] = max(others, 0)
		}
	}
	if w.identity == unspecified {
		// Acceptable unless excluded, but the last choice.
		w.identity = 1
		if others == 0 {
			w.identity = 0
		}
	}
	return w
}

// parseQuality returns the q value of an item in thousandths. A malformed one counts as 1000: the
// client does support the coding that it lists.
func parseQuality(parameters string) int {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || q < 0 || q > 1 {
			break
		}
		return int(q*1000 + 0.5)
	}
	return 1000
}
