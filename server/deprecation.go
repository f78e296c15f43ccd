package server

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Deprecation announces that an operation will end.
type Deprecation struct {
	Since   time.Time
	Sunset  time.Time // the operation works until then, for at least 12 months
	Instead string    // the operation to use instead: its ID
}

// deprecated are the operations of both APIs that will end, by ID.
var deprecated = map[string]Deprecation{}

// deprecate announces the end of a deprecated operation in the document and in each response: RFC
// 9745, and RFC 8594 for the sunset.
func (s *Server) deprecate(spec *operation, op *huma.Operation) {
	d, ok := s.cfg.Deprecated[op.OperationID]
	if !ok {
		return
	}
	sunset := d.Sunset.UTC().Format(time.DateOnly)
	op.Deprecated = true
	op.Description += fmt.Sprintf("\n\nDeprecated: use `%s` instead. This operation works until %s.", d.Instead, sunset)
	op.Extensions = maps.Clone(op.Extensions)
	if op.Extensions == nil {
		op.Extensions = map[string]any{}
	}
	op.Extensions["x-sunset"] = sunset
	headers := map[string]string{
		"Deprecation": "@" + strconv.FormatInt(d.Since.Unix(), 10),
		"Sunset":      d.Sunset.UTC().Format(http.TimeFormat),
		"Link":        `<` + changesPath + `>; rel="deprecation"; type="text/html"`,
	}
	op.Middlewares = slices.Insert(op.Middlewares, 0, func(ctx huma.Context, next func(huma.Context)) {
		for name, value := range headers {
			ctx.SetHeader(name, value)
		}
		next(ctx)
	})
	spec.headers = maps.Clone(spec.headers)
	if spec.headers == nil {
		spec.headers = map[string]*huma.Param{}
	}
	spec.headers["Deprecation"] = stringHeader("When this operation was deprecated: @ and seconds since 1970; RFC 9745")
	spec.headers["Sunset"] = stringHeader("When this operation ends; RFC 8594")
}
