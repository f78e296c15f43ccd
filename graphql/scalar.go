package graphql

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"time"

	graphqlgo "github.com/graph-gophers/graphql-go"
)

// ID is an identifier. The library's own ID type is encoded with Go's quoting rules, which are not
// JSON's.
type ID string

// ImplementsGraphQLType reports whether name is the scalar of this type.
func (ID) ImplementsGraphQLType(name string) bool { return name == "ID" }

// UnmarshalGraphQL decodes a string, or an integer as its digits.
func (id *ID) UnmarshalGraphQL(input any) error {
	switch v := input.(type) {
	case string:
		*id = ID(v)
	case int32:
		*id = ID(strconv.Itoa(int(v)))
	case int64:
		*id = ID(strconv.FormatInt(v, 10))
	default:
		return scalarError("ID")
	}
	return nil
}

func (id *ID) text() *string { return (*string)(id) }

func ids[S ~string](list []S) []ID {
	converted := make([]ID, len(list))
	for i, id := range list {
		converted[i] = ID(id)
	}
	return converted
}

// Long is a 64-bit integer, for amounts: GraphQL's Int has 32 bits.
type Long int64

// ImplementsGraphQLType reports whether name is the scalar of this type.
func (Long) ImplementsGraphQLType(name string) bool { return name == "Long" }

// UnmarshalGraphQL decodes an integer. Numbers with a fraction or an exponent are rejected.
func (l *Long) UnmarshalGraphQL(input any) error {
	switch v := input.(type) {
	case int32:
		*l = Long(v)
	case int64:
		*l = Long(v)
	default:
		return scalarError("Long")
	}
	return nil
}

func (l *Long) number() *int64 { return (*int64)(l) }

// JSON is a JSON object whose names are not part of the schema.
type JSON struct{ text json.RawMessage }

// ImplementsGraphQLType reports whether name is the scalar of this type.
func (JSON) ImplementsGraphQLType(name string) bool { return name == "JSON" }

// UnmarshalGraphQL decodes an object from a variable or from a literal.
func (j *JSON) UnmarshalGraphQL(input any) error {
	object, ok := input.(map[string]any)
	if !ok {
		return scalarError("JSON")
	}
	var err error
	j.text, err = json.Marshal(object)
	return err
}

// MarshalJSON returns the object unchanged.
func (j JSON) MarshalJSON() ([]byte, error) { return j.text, nil }

// scalarError is the name of the scalar that a literal does not match. It does not contain the
// literal, which may be a password.
type scalarError string

func (e scalarError) Error() string { return "not a " + string(e) }

// isScalarError returns the scalar that a literal should have been.
func isScalarError(err error) (name string, ok bool) {
	e, ok := errors.AsType[scalarError](err)
	return string(e), ok
}

// toInt converts to GraphQL's Int, which has 32 bits. Values out of range become the nearest bound.
func toInt(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

func toNullInt(n *int) *int32 {
	if n == nil {
		return nil
	}
	i := toInt(*n)
	return &i
}

func fromNullInt(n *int32) *int {
	if n == nil {
		return nil
	}
	i := int(*n)
	return &i
}

// convert converts each element of a list. The result is never nil, so that it is never null.
func convert[From, To any](list []From, one func(*From) To) []To {
	converted := make([]To, len(list))
	for i := range list {
		converted[i] = one(&list[i])
	}
	return converted
}

// convertNull converts a value. Nil stays nil.
func convertNull[From, To any](value *From, one func(*From) To) *To {
	if value == nil {
		return nil
	}
	converted := one(value)
	return &converted
}

// orEmpty returns an empty list for nil: no list of the schema is null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func newTime(t time.Time) graphqlgo.Time { return graphqlgo.Time{Time: t} }

func newNullTime(t *time.Time) *graphqlgo.Time {
	if t == nil {
		return nil
	}
	return &graphqlgo.Time{Time: *t}
}
