package transport

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"strings"

	"storefront/shop/fault"
)

// initialBody is the memory that most bodies fit into, in bytes. A larger Content-Length allocates
// nothing before its bytes arrive.
const initialBody = 2 << 10

// ReadBody reads a request body of at most limit bytes. contentLength is the length that the client
// announced, negative if it announced none. Codes: too_large, malformed.
func ReadBody(r io.Reader, contentLength, limit int64) ([]byte, error) {
	var body bytes.Buffer
	body.Grow(int(min(max(contentLength, bytes.MinRead), initialBody))) // the last read also returns io.EOF
	_, err := body.ReadFrom(io.LimitReader(r, limit+1))
	switch {
	case int64(body.Len()) > limit:
		return nil, &fault.Error{Code: fault.CodeTooLarge, Message: fmt.Sprintf("The body must not be larger than %d bytes.", limit)}
	case err != nil:
		return nil, &fault.Error{Code: fault.CodeMalformed, Message: "The body ended early. Send it again.", Err: err}
	}
	return body.Bytes(), nil
}

// CheckContentType checks that a body is JSON in UTF-8 and not compressed. The arguments are the
// values of the headers Content-Type and Content-Encoding. Codes: unsupported_media_type.
func CheckContentType(contentType, contentEncoding string) error {
	if !isJSON(contentType) {
		return &fault.Error{Code: fault.CodeUnsupportedMediaType, Message: "Send the body with Content-Type: application/json."}
	}
	if contentEncoding != "" && !strings.EqualFold(contentEncoding, "identity") {
		return &fault.Error{Code: fault.CodeUnsupportedMediaType, Message: "Send the body without a Content-Encoding."}
	}
	return nil
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	return err == nil && media == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}
