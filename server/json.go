package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"storefront/shop"
)

// maxDepth is how deeply a body may be nested. No input of ours comes near it.
const maxDepth = 32

// What a body can be refused for beside its syntax. Clients read the texts, so they repeat nothing
// of the body.
var (
	errTooDeep = fmt.Errorf("it is nested more than %d levels deep", maxDepth)
	errHasNUL  = errors.New("it has a NUL character")
)

// strictJSON is the only format of bodies: duplicate names, invalid UTF-8, NUL and another case of
// a name are refused, which encoding/json would all let through.
var strictJSON = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		body, err := marshal(v)
		if err != nil {
			return err
		}
		_, _ = w.Write(body) // a client that has gone does not read it
		return nil
	},
	Unmarshal: func(data []byte, v any) error {
		if tree, ok := v.(*any); ok {
			return unmarshalTree(data, tree)
		}
		return json.Unmarshal(data, v, json.RejectUnknownMembers(true))
	},
}

// marshal gives v's JSON, the same bytes for the same value: ETags depend on it.
func marshal(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// number is a JSON number that is not a 64-bit integer. No input takes one, and huma's validator
// says so by name, which the decoder could not.
type number string

// unmarshalTree reads any JSON into maps and lists for huma to validate. Integers stay exact.
func unmarshalTree(data []byte, tree *any) error {
	err := json.Unmarshal(data, tree, json.WithUnmarshalers(json.UnmarshalFromFunc(readValue)))
	if err != nil {
		return syntaxError(err)
	}
	if bytes.Contains(data, []byte(`\u0000`)) && shop.HasNUL(*tree) {
		return errHasNUL
	}
	return nil
}

func readValue(dec *jsontext.Decoder, v *any) error {
	if dec.StackDepth() >= maxDepth {
		return errTooDeep
	}
	if dec.PeekKind() != '0' {
		return errors.ErrUnsupported // the usual way
	}
	text, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		*v = n
	} else {
		*v = number(text)
	}
	return nil
}

// syntaxError says what is wrong with a body without showing any of it.
func syntaxError(err error) error {
	if errors.Is(err, errTooDeep) {
		return errTooDeep
	}
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case !ok:
		return errors.New("it is not JSON")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("an object has a name twice, at byte %d", syntax.ByteOffset)
	}
	return fmt.Errorf("it is not JSON in UTF-8, at byte %d", syntax.ByteOffset)
}
