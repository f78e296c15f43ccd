package transport

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"

	"storefront/shop/fault"
)

// initialBody is the memory that most bodies fit into, in bytes. A larger Content-Length allocates
// nothing before its bytes arrive.
const initialBody = 2 << 10

// ReadBody reads a request body of at most limit bytes and adds its memory to hold. contentLength
// is the length that the client announced, negative if it announced none. Codes: too_large,
// malformed, unavailable.
func ReadBody(r io.Reader, contentLength, limit int64, hold *Hold) ([]byte, error) {
	tooLarge := &fault.Error{Code: fault.CodeTooLarge, Message: fmt.Sprintf("The body must not be larger than %d bytes.", limit)}
	if contentLength > limit {
		return nil, tooLarge
	}
	var body []byte
	for {
		if len(body) == cap(body) {
			size := min(max(2*int64(cap(body)), initialBody), limit+1) // the last read also returns io.EOF
			if contentLength >= int64(len(body)) {
				size = min(size, contentLength+1)
			}
			if err := hold.Add(size - int64(cap(body))); err != nil {
				return nil, err
			}
			body = append(make([]byte, 0, size), body...)
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > limit:
			return nil, tooLarge
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, &fault.Error{Code: fault.CodeMalformed, Message: "The body ended early. Send it again.", Err: err}
		}
	}
}

// HoldDecoding adds the memory that decoding a JSON body needs beside it. Codes: unavailable.
func HoldDecoding(body []byte, hold *Hold) error { return hold.Add(decodedSize * int64(len(body))) }

// decodedSize is the approximate ratio of a decoded body's size to its text.
const decodedSize = 7

// CheckContentType checks that a body is JSON in UTF-8 and not compressed. The arguments are the
// values of the headers Content-Type and Content-Encoding. Codes: unsupported_media_type.
func CheckContentType(contentType, contentEncoding string) error {
	return CheckMediaType("application/json", contentType, contentEncoding)
}

// CheckMediaType is [CheckContentType] for a body of another media type.
func CheckMediaType(want, contentType, contentEncoding string) error {
	if !isOfType(want, contentType) {
		return &fault.Error{Code: fault.CodeUnsupportedMediaType, Message: "Send the body with Content-Type: " + want + "."}
	}
	if contentEncoding != "" && !strings.EqualFold(contentEncoding, "identity") {
		return &fault.Error{Code: fault.CodeUnsupportedMediaType, Message: "Send the body without a Content-Encoding."}
	}
	return nil
}

func isOfType(want, contentType string) bool {
	if contentType == want {
		return true
	}
	media, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	return err == nil && media == want && (charset == "" || strings.EqualFold(charset, "utf-8"))
}
