package transport_test

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/transport"
)

func TestReadBody(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("x", 5000)
	for name, test := range map[string]struct {
		r      io.Reader
		length int64
		want   string
		code   fault.Code
	}{
		"empty":              {strings.NewReader(""), 0, "", ""},
		"at the limit":       {strings.NewReader(full), 5000, full, ""},
		"of unknown length":  {strings.NewReader(full), -1, full, ""},
		"over the limit":     {strings.NewReader(full + "x"), 5001, "", fault.CodeTooLarge},
		"longer than stated": {strings.NewReader(full + "x"), 1, "", fault.CodeTooLarge},
		"absurd length":      {strings.NewReader("x"), math.MaxInt64, "", fault.CodeTooLarge},
		"cut off":            {io.MultiReader(strings.NewReader("x"), iotest.ErrReader(io.ErrUnexpectedEOF)), 9, "", fault.CodeMalformed},
	} {
		got, err := transport.ReadBody(test.r, test.length, 5000, &transport.Hold{})
		if string(got) != test.want || (test.code == "") != (err == nil) || test.code != "" && !fault.HasCode(err, test.code) {
			t.Errorf("%s: got %d bytes, %v", name, len(got), err)
		}
	}
}

func TestCheckContentType(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		contentType, encoding string
		ok                    bool
	}{
		{"application/json", "", true},
		{"Application/JSON; charset=UTF-8", "identity", true},
		{"application/json; charset=latin1", "", false},
		{"application/problem+json", "", false},
		{"text/plain", "", false},
		{"", "", false},
		{"application/json", "gzip", false},
	} {
		err := transport.CheckContentType(test.contentType, test.encoding)
		if (err == nil) != test.ok || err != nil && !fault.HasCode(err, fault.CodeUnsupportedMediaType) {
			t.Errorf("%q, %q: got %v", test.contentType, test.encoding, err)
		}
	}
}

func TestUnmarshalBody(t *testing.T) {
	t.Parallel()
	type input struct {
		Name  string `json:"name"`
		Extra any    `json:"extra"`
	}
	for body, want := range map[string]any{
		`{"name":"a","extra":[9007199254740993,1.5]}`: input{"a", []any{int64(9007199254740993), 1.5}},
		`{"name":"a","name":"b"}`:                     "An object in the body has the same name twice, at byte 12.",
		`{"name":"a","extra":{"b":1,"b":2}}`:          "An object in the body has the same name twice, at byte 27.",
		`{"name":"a"`:                                 "The body must be valid JSON in UTF-8. The error is at byte 11.",
		"{\"name\":\"\xff\"}":                         "The body must be valid JSON in UTF-8. The error is at byte 9.",
		`{"extra":1e999}`:                             "The body contains a number that is out of range.",
		`{"extra":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`: "The body must not be nested more than 32 levels deep.",
		`{"extra":[` + strings.Repeat("1,", 5000) + `1]}`:                     "The body must not have more than 5000 values.",
	} {
		var got input
		err := transport.UnmarshalBody([]byte(body), &got, transport.ParseFloat)
		var result any = got
		if bodyErr, ok := errors.AsType[*transport.BodyError](err); ok {
			result = bodyErr.Malformed().Message
		} else if err != nil {
			t.Errorf("%s: %v", body, err)
		}
		if diff := cmp.Diff(want, result); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
	for _, body := range []string{`{"Name":"a"}`, `{"size":1}`, `{"name":1}`, `[]`} {
		var got input
		err := transport.UnmarshalBody([]byte(body), &got, transport.ParseFloat)
		if _, ok := errors.AsType[*transport.BodyError](err); ok || err == nil {
			t.Errorf("%s: got %v, want an error of its type", body, err)
		}
		if err := transport.Unmarshal([]byte(body), &got); err == nil {
			t.Errorf("Unmarshal accepts %s", body)
		}
	}
}

// A body that the decoder accepts is JSON for every decoder and has no NUL. A refusal repeats
// nothing of the body.
func FuzzUnmarshalBody(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":[1,-0,1.5,1e9,"\u0000"]}`, `{"a":1,"a":2}`, "\"\xff\"", `[[[[]]]]`, `{"\ud800":null}`, ` 1 `, `"\\u0000"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var tree any
		err := transport.UnmarshalBody(body, &tree, transport.ParseFloat)
		if err == nil {
			err = transport.CheckNUL(body, tree)
		}
		if err != nil {
			if strings.ContainsAny(err.Error(), "\"\\") {
				t.Errorf("error repeats the body: %v", err)
			}
			return
		}
		if !utf8.Valid(body) || !json.Valid(body) || input.HasNUL(tree) {
			t.Errorf("accepted %q", body)
		}
		if _, err := json.Marshal(tree); err != nil {
			t.Errorf("%q: %v", body, err)
		}
	})
}
