package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"storefront/graphql"
	"storefront/server/admin"
	"storefront/shop/access"
)

// AdminCommand runs one operation of the Admin API for the operator at the command line, in this
// process. The request is validated, executed and audited like one over HTTP. It has no
// credentials, and no limits of clients apply.
type AdminCommand struct {
	server *Server
	caller access.Caller
	spec   *huma.Operation

	ofInstallation bool
}

// commandTimeout limits the work of a command.
const commandTimeout = time.Hour

// NewAdminCommand returns a command for an operation.
func NewAdminCommand(o admin.Operation, caller access.Caller) (*AdminCommand, error) {
	c := &AdminCommand{
		server: newServer(Config{Rate: -1, RequestTimeout: commandTimeout, MaxBody: maxCSV}), caller: caller, ofInstallation: o.OfInstallation,
	}
	c.server.api = newAPI(newAdminOpenAPI(c.server.cfg), newAdapter(c.server.routes.tree(o.Route()), c.identify))
	if err := c.server.registerAdmin([]admin.Operation{o}); err != nil {
		return nil, err
	}
	c.spec = operationsOf(c.server.api.OpenAPI().Paths[o.Route()])[o.Method]
	return c, nil
}

// identify sets the operator as the caller of a request.
func (c *AdminCommand) identify(x *exchange, _ *http.Request, ctx huma.Context) (err error) {
	x.caller = c.caller
	if c.ofInstallation {
		x.shop, err = c.server.cfg.Tenants.Installation(&x.deadline)
		return err
	}
	if uid := ctx.Param("tenant"); uid != "" {
		x.shop, err = c.server.cfg.Tenants.FindIncludingSuspended(&x.deadline, uid)
	}
	return err
}

// Input is an input value of an operation.
type Input struct {
	Name        string // as in the reference
	In          string // path, query or body: a property of the JSON body
	Description string
	Type        string   // of JSON Schema: string, integer, number, boolean, array or object
	Items       string   // the type of an array's elements
	Values      []string // the permitted values; empty means any
	Required    bool
	Nullable    bool // null is a value of its own
	Example     any  // nil means none
}

// AdminInputs returns the inputs of an operation: the parameters of the path and the query, and the
// properties of the JSON body.
func AdminInputs(o admin.Operation) ([]Input, error) {
	enums, err := graphql.Enums()
	if err != nil {
		return nil, err
	}
	c, err := NewAdminCommand(o, access.Caller{}) // of its own: requests must not be validated with the completed schemas
	if err != nil {
		return nil, err
	}
	schemas := newAdminEnumSchemas(enums)
	completeResponseSchemas(c.server.api.OpenAPI(), schemas)
	var inputs []Input
	for _, p := range c.spec.Parameters {
		if p.In == "header" {
			continue
		}
		if typ := o.ParameterType(p.Name); typ != nil {
			schemas.replace(p.Schema, typ, false)
		}
		in := c.input(p.Name, p.In, p.Schema, schemas)
		in.Description, in.Required, in.Example = p.Description, p.Required, p.Example
		inputs = append(inputs, in)
	}
	media := c.jsonBody()
	if media == nil {
		return inputs, nil
	}
	example, _ := media.Example.(map[string]any)
	body := c.resolve(media.Schema, schemas)
	for _, name := range propertyNames(body) {
		in := c.input(name, "body", body.Properties[name], schemas)
		in.Required, in.Example = slices.Contains(body.Required, name), example[name]
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// propertyNames returns the names of an object's properties: required ones first, others sorted.
func propertyNames(object *huma.Schema) []string {
	names := slices.Clone(object.Required)
	for name := range object.Properties {
		if name != "$schema" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names[len(object.Required):])
	return names
}

// jsonBody returns the operation's JSON body, nil if it has none.
func (c *AdminCommand) jsonBody() *huma.MediaType {
	if c.spec.RequestBody == nil {
		return nil
	}
	return c.spec.RequestBody.Content["application/json"]
}

// TakesBody reports whether the operation has a body of any kind.
func (c *AdminCommand) TakesBody() bool { return c.spec.RequestBody != nil }

func (c *AdminCommand) input(name, in string, schema *huma.Schema, enums *enumSchemas) Input {
	found := Input{Name: name, In: in, Description: schema.Description}
	found.Nullable = schema.Nullable || len(schema.AnyOf) > 0
	schema = c.resolve(schema, enums)
	found.Type, found.Nullable = schema.Type, found.Nullable || schema.Nullable
	if schema.Items != nil {
		schema = c.resolve(schema.Items, enums)
		found.Items = schema.Type
	}
	for _, value := range schema.Enum {
		found.Values = append(found.Values, fmt.Sprint(value))
	}
	return found
}

// resolve returns the schema behind a reference, or behind an alternative of one and null.
func (c *AdminCommand) resolve(schema *huma.Schema, enums *enumSchemas) *huma.Schema {
	if len(schema.AnyOf) > 0 {
		schema = schema.AnyOf[0]
	}
	name, isRef := strings.CutPrefix(schema.Ref, schemaPrefix)
	switch {
	case !isRef:
		return schema
	case enums.used[name] != nil:
		return enums.used[name]
	}
	return c.resolve(c.server.api.OpenAPI().Components.Schemas.Map()[name], enums)
}

// AdminRequest is the request of an [AdminCommand].
type AdminRequest struct {
	Path  map[string]string // values of the path's parameters, without slashes
	Query url.Values
	Body  []byte // JSON, or the operation's file; empty means none
}

// AdminResponse is the response of an [AdminCommand].
type AdminResponse struct {
	Status int
	// JSON is the body. It is nil if the response was a file or a page, which is written as it
	// arrives.
	JSON []byte
}

// Run executes the operation on a shop. A file or a page of the response is written to w. An error
// is the use case's, unchanged.
func (c *AdminCommand) Run(ctx context.Context, t Tenants, uid string, in AdminRequest, w io.Writer) (*AdminResponse, error) {
	c.server.cfg.Tenants = t
	out := &commandWriter{header: http.Header{}, file: w}
	r := c.request(uid, in).WithContext(ctx)
	x := newExchange(c.server, out, r)
	c.serve(x, r)
	switch {
	case x.failure != nil:
		return nil, x.failure
	case x.err != nil:
		return nil, x.err
	case out.err != nil:
		return nil, out.err
	}
	response := &AdminResponse{Status: out.status}
	if out.isJSON() {
		response.JSON = out.body.Bytes()
	}
	return response, nil
}

// serve is [Server.ServeHTTP] without the parts for clients.
func (c *AdminCommand) serve(x *exchange, r *http.Request) {
	defer func() {
		if p := recover(); p != nil && !isAbort(p) {
			panic(p)
		}
	}()
	defer c.server.finish(x, r)
	defer x.hold.Release()
	x.deadline.begin(r.Context(), x.started.Add(commandTimeout))
	defer x.deadline.end()
	c.server.routes.serve(x, r.WithContext(&x.deadline))
}

// isAbort reports whether a panic ends a partly sent response. Its cause is in the exchange.
func isAbort(p any) bool {
	err, ok := p.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

func (c *AdminCommand) request(uid string, in AdminRequest) *http.Request {
	path := strings.ReplaceAll(c.spec.Path, "{tenant}", uid)
	for name, value := range in.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	r := &http.Request{
		Method: c.spec.Method, URL: &url.URL{Path: path, RawQuery: in.Query.Encode()}, Header: http.Header{},
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "localhost", RemoteAddr: "127.0.0.1:0",
		Body: io.NopCloser(bytes.NewReader(in.Body)), ContentLength: int64(len(in.Body)),
	}
	switch {
	case !c.TakesBody() || len(in.Body) == 0:
	case c.jsonBody() != nil:
		r.Header.Set("Content-Type", "application/json")
	case c.spec.RequestBody.Content["text/csv"] != nil:
		r.Header.Set("Content-Type", "text/csv")
	default:
		r.Header.Set("Content-Type", http.DetectContentType(in.Body))
	}
	return r
}

// commandWriter receives the response of a command: JSON in memory, a file as it arrives. The text
// of a failure is discarded, since the failure itself is known.
type commandWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
	file   io.Writer
	err    error // of writing to file
}

func (w *commandWriter) Header() http.Header { return w.header }

func (w *commandWriter) WriteHeader(status int) { w.status = status }

func (w *commandWriter) isJSON() bool { return w.header.Get("Content-Type") == "application/json" }

func (w *commandWriter) Write(p []byte) (n int, err error) {
	switch {
	case w.status >= http.StatusBadRequest:
		return len(p), nil
	case w.isJSON():
		return w.body.Write(p)
	}
	n, w.err = w.file.Write(p)
	return n, w.err
}

// Flush implements [http.Flusher]: nothing is buffered.
func (w *commandWriter) Flush() {}
