package graphql

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"time"

	graphqlgo "github.com/graph-gophers/graphql-go"
)

// ID is an identifier. The library's own is written by Go's rules for quoting, which are not JSON's.
type ID string

// ImplementsGraphQLType tells the library which scalar this is.
func (ID) ImplementsGraphQLType(name string) bool { return name == "ID" }

// UnmarshalGraphQL reads a text, or an integer as its digits.
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

// Long is a whole number of 64 bits, for amounts: Int has 32.
type Long int64

// ImplementsGraphQLType tells the library which scalar this is.
func (Long) ImplementsGraphQLType(name string) bool { return name == "Long" }

// UnmarshalGraphQL reads an integer; a number with a fraction or an exponent is not one.
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

// JSON is an object whose names the schema does not know.
type JSON struct{ text json.RawMessage }

// ImplementsGraphQLType tells the library which scalar this is.
func (JSON) ImplementsGraphQLType(name string) bool { return name == "JSON" }

// UnmarshalGraphQL reads an object of a variable or of the document.
func (j *JSON) UnmarshalGraphQL(input any) error {
	object, ok := input.(map[string]any)
	if !ok {
		return scalarError("JSON")
	}
	var err error
	j.text, err = json.Marshal(object)
	return err
}

// MarshalJSON writes the object as it is.
func (j JSON) MarshalJSON() ([]byte, error) { return j.text, nil }

// scalarError names the scalar that a literal in a document is not. It shows nothing of the literal.
type scalarError string

func (e scalarError) Error() string { return "not a " + string(e) }

// isScalarError gives the scalar that a literal should have been.
func isScalarError(err error) (name string, ok bool) {
	e, ok := errors.AsType[scalarError](err)
	return string(e), ok
}

// toInt gives GraphQL's Int, which has 32 bits; what does not fit becomes the nearest that does.
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

// convert gives a list in GraphQL's form, never null.
func convert[From, To any](list []From, one func(*From) To) []To {
	converted := make([]To, len(list))
	for i := range list {
		converted[i] = one(&list[i])
	}
	return converted
}

// convertNull gives null for null.
func convertNull[From, To any](value *From, one func(*From) To) *To {
	if value == nil {
		return nil
	}
	converted := one(value)
	return &converted
}

// orEmpty gives an empty list for nil: a list of ours is never null.
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
