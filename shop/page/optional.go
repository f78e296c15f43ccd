package page

import (
	"encoding/json"
	"reflect"
)

// Optional is a value of a filter that may be absent, as its zero value is.
type Optional[T any] struct {
	value T
	sent  bool
}

// Some returns a value that is present.
func Some[T any](value T) Optional[T] { return Optional[T]{value, true} }

// Pointer returns the value, nil if it is absent.
func (o Optional[T]) Pointer() *T {
	if !o.sent {
		return nil
	}
	return &o.value
}

// Or returns the value, or another one if it is absent.
func (o Optional[T]) Or(other T) T {
	if !o.sent {
		return other
	}
	return o.value
}

// Receiver returns the destination of a parameter's value, for the decoder of queries.
func (o *Optional[T]) Receiver() reflect.Value { return reflect.ValueOf(&o.value).Elem() }

// OnParamSet is called by the decoder of queries after it has set the value.
func (o *Optional[T]) OnParamSet(sent bool, _ any) { o.sent = sent }

// UnmarshalJSON reads a value that is present.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	o.sent = true
	return json.Unmarshal(text, &o.value)
}
