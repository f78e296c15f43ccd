package server

import (
	"errors"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"storefront/transport"
)

// strictJSON is the only format of bodies. huma decodes each one twice: into maps and lists, which
// it validates, and into the operation's input.
var strictJSON = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		body, err := transport.MarshalBody(v)
		if err != nil {
			return err
		}
		_, _ = w.Write(body) // the client may have disconnected
		return nil
	},
	Unmarshal: func(data []byte, v any) error {
		if tree, ok := v.(*any); ok {
			return unmarshalTree(data, tree)
		}
		return transport.Unmarshal(data, v)
	},
}

// number is a JSON number that is not a whole one of 64 bits. No input accepts one, and huma's
// validator reports it with the field's name, which the decoder could not.
type number string

// unmarshalTree decodes any JSON for huma to validate. The text of its error is for the client.
func unmarshalTree(data []byte, tree *any) error {
	err := transport.UnmarshalBody(data, tree, func(text string) (any, error) {
		if n, ok := transport.ParseWhole(text); ok {
			return n, nil
		}
		return number(text), nil
	})
	if err == nil {
		return transport.CheckNUL(data, *tree)
	}
	if body, ok := errors.AsType[*transport.BodyError](err); ok {
		return body
	}
	return transport.ErrNotJSON
}
