package transport

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"storefront/shop/fault"
	"storefront/shop/input"
)

// maxDepth limits the nesting of a body. No input of the API comes near it.
const maxDepth = 32

// maxValues limits the values of a body. The largest input of the API, an order of 100 lines, has a
// tenth of that. Decoding and validating a value needs up to 1 KiB, however short its text is.
const maxValues = 5000

// BodyError states why a body is not acceptable JSON. It is a sentence for the client without any
// part of the body.
type BodyError struct{ message string }

func (e *BodyError) Error() string { return e.message }

// The errors of a body that is well-formed JSON.
var (
	errTooDeep   = &BodyError{fmt.Sprintf("The body must not be nested more than %d levels deep.", maxDepth)}
	errTooMany   = &BodyError{fmt.Sprintf("The body must not have more than %d values.", maxValues)}
	errNUL       = &BodyError{"The body must not contain a NUL character."}
	errBadNumber = &BodyError{"The body contains a number that is out of range."}
)

// ErrNotJSON is the error of a body that is not well-formed JSON.
var ErrNotJSON = &BodyError{"The body must be valid JSON."}

// Malformed returns e as an error of code malformed.
func (e *BodyError) Malformed() *fault.Error {
	return &fault.Error{Code: fault.CodeMalformed, Message: e.message}
}

// ParseNumber parses a JSON number that is not a 64-bit integer.
type ParseNumber func(text string) (any, error)

// ParseFloat is the [ParseNumber] for inputs that may be fractions.
func ParseFloat(text string) (any, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, errBadNumber
	}
	return f, nil
}

// maxExact is the largest whole number that is exact in every notation.
const maxExact = 1 << 53

// ParseWhole returns the value of a whole number that is written with a fraction or an exponent,
// such as 2.0 and 20e-1: an integer by JSON Schema. ok is false for another number, or one beyond
// ±2⁵³.
func ParseWhole(text string) (n int64, ok bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	places, err := strconv.Atoi(cmp.Or(exponent, "0"))
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	zeros := len(whole) + places - len(digits) // after the digits
	switch {
	case strings.Trim(digits, "-0") == "":
		return 0, true
	case err != nil || zeros < 0 || zeros > 16:
		return 0, false
	}
	n, err = strconv.ParseInt(digits+strings.Repeat("0", zeros), 10, 64)
	return n, err == nil && -maxExact <= n && n <= maxExact
}

// Unmarshal decodes JSON into v and refuses members that v does not have, names in another case,
// duplicate names and invalid UTF-8, which encoding/json would all accept. Whole numbers may have a
// fraction or an exponent, see [ParseWhole].
func Unmarshal(data []byte, v any) error {
	err := json.Unmarshal(data, v, json.RejectUnknownMembers(true))
	if err == nil || !bytes.ContainsAny(data, ".eE") {
		return err
	}
	integers := jsontext.Value(bytes.Clone(data))
	if integers.Format(jsontext.CanonicalizeRawFloats(true), jsontext.PreserveRawStrings(true)) != nil || bytes.Equal(integers, data) {
		return err
	}
	return json.Unmarshal(integers, v, json.RejectUnknownMembers(true))
}

// UnmarshalBody decodes a client's JSON into v as [Unmarshal] does and refuses deep nesting and too
// many values. Values of type any become maps, lists, texts, booleans, int64 or the result of
// parse, so that integers stay exact. The error is a [*BodyError] unless the JSON is well-formed
// and does not fit v. The caller checks for NUL with [CheckNUL].
func UnmarshalBody(data []byte, v any, parse ParseNumber) error {
	values := 0
	readValue := func(dec *jsontext.Decoder, v *any) error {
		values++
		switch {
		case dec.StackDepth() >= maxDepth:
			return errTooDeep
		case values > maxValues:
			return errTooMany
		}
		if dec.PeekKind() != '0' {
			return errors.ErrUnsupported // decode it as usual
		}
		text, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			*v = n
			return nil
		}
		*v, err = parse(string(text))
		return err
	}
	err := json.Unmarshal(data, v, json.RejectUnknownMembers(true), json.WithUnmarshalers(json.UnmarshalFromFunc(readValue)))
	if body := bodyError(err); body != nil {
		return body
	}
	return err
}

// CheckNUL returns an error if decoded JSON has a NUL character in a text or a name. data is its
// source, searched first because nearly all bodies have no NUL.
func CheckNUL(data []byte, decoded ...any) error {
	if !bytes.Contains(data, []byte(`\u0000`)) {
		return nil
	}
	for _, v := range decoded {
		if input.HasNUL(v) {
			return errNUL
		}
	}
	return nil
}

// bodyError returns the BodyError for an error of the decoder, nil if err is of another kind.
func bodyError(err error) *BodyError {
	if e, ok := errors.AsType[*BodyError](err); ok {
		return e
	}
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case !ok:
		return nil
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &BodyError{fmt.Sprintf("An object in the body has the same name twice, at byte %d.", syntax.ByteOffset)}
	}
	return &BodyError{fmt.Sprintf("The body must be valid JSON in UTF-8. The error is at byte %d.", syntax.ByteOffset)}
}

// Marshal returns v as JSON, the same bytes for the same value: fingerprints depend on it.
func Marshal(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// MarshalBody returns v as a response's body: as Marshal does, with a line feed at the end, so that
// a terminal's prompt begins on a line of its own.
func MarshalBody(v any) ([]byte, error) {
	text, err := Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}
