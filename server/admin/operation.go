package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/live"
)

// Operation declares one operation of the Admin API. Create one with [define] or [defineStream].
type Operation struct {
	ID     string
	Method string // the default is GET
	Path   string // below the shop's path, such as orders/{orderId}, or below the API's; see OfServer
	Tag    string // one of [Tags]

	Summary     string
	Description string

	// Use is the use case of staff that the operation calls. Its rule has the permission.
	Use access.UseCase
	// OfServer marks an operation on the whole server: its path is not below a shop's.
	OfServer bool
	// OfInstallation marks an operation of operators: the installation takes the place of the shop.
	OfInstallation bool
	// Also are further use cases that it may call instead. They have the same permission.
	Also []access.UseCase

	Codes   []fault.Code // in addition to the codes of every operation
	Example any          // of the request body

	Created      bool // success is 201
	List         bool // the response is a list, which counts as more work
	Provider     bool // it waits for the response of a courier or a gateway
	Idempotent   bool // Idempotency-Key is accepted
	Resumes      bool // a failed request may be sent again with its key, unless it calls UseUpKey: it continues, or had no effect
	Secret       bool // the response has a secret, which is sealed wherever it is stored
	Versioned    bool // the response has an ETag
	BodyOptional bool // no body means an empty object
	CSV          bool // the body is a CSV file
	Workbook     bool // or a workbook
	Image        bool // the body is an image
	Stream       bool // the response is streamed, and is not JSON
	File         bool // it is a CSV file; set by [defineStream]
	Live         bool // the response lasts until the client disconnects

	register    func(api huma.API, op huma.Operation)
	parameters  map[string]reflect.Type
	conditional bool         // If-Match is accepted
	body        reflect.Type // of the request, nil if it has no JSON body
	recovers    bool         // see Recovers
}

// Recovers reports whether the operation reads its record if [Exchange.Lost] has one.
func (o *Operation) Recovers() bool { return o.recovers }

// Work is the kind of work that an operation occupies while it runs. A caller may do a few of each
// kind concurrently, so that neither one caller nor a slow kind delays the others.
type Work int

// The kinds of work.
const (
	WorkFree     Work = iota // none that is limited here: sign-in has limits of its own
	WorkRecord               // short reads and writes
	WorkList                 // lists
	WorkProvider             // waiting for a courier or a gateway
	WorkStream               // a file, for as long as the client reads it
	WorkImage                // decoding an uploaded image
)

// work returns the kind of the operation's work.
func (o *Operation) work() Work {
	switch {
	case o.Use.Permission == access.Anybody:
		return WorkFree
	case o.Stream:
		return WorkStream
	case o.Provider:
		return WorkProvider
	case o.Image:
		return WorkImage
	case o.List:
		return WorkList
	}
	return WorkRecord
}

// Prefix begins the paths of the Admin API.
const Prefix = "/admin/v1/"

// OperatorPrefix begins the paths of operations of operators, and is the path of their cookies.
const OperatorPrefix = Prefix + "operator/"

// Route returns the operation's path with its parameters in braces. The tenant is in the path and
// not in x-tenant, because links, downloads and event streams cannot send headers, and cookies are
// bound to a path.
func (o *Operation) Route() string {
	switch {
	case o.OfServer:
		return Prefix + o.Path
	case o.OfInstallation:
		return OperatorPrefix + o.Path
	}
	return Prefix + "shops/{tenant}/" + o.Path
}

// Register adds the operation to an API, as op describes it.
func (o *Operation) Register(api huma.API, op huma.Operation) { o.register(api, op) }

// ParameterType returns the type of a query parameter in the domain; nil if there is none.
func (o *Operation) ParameterType(name string) reflect.Type { return o.parameters[name] }

// HasQuery reports whether the operation has query parameters.
func (o *Operation) HasQuery() bool { return len(o.parameters) > 0 }

// IsConditional reports whether the operation accepts If-Match.
func (o *Operation) IsConditional() bool { return o.conditional }

// parametersOf returns the types of the query parameters of an input.
func parametersOf[I any]() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[I]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("query"), ","); name != "" {
			types[name] = f.Type
		}
	}
	return types
}

// Changes reports whether the operation makes changes.
func (o *Operation) Changes() bool { return o.Use.Action != "" }

// Operations returns every operation, in the order of the reference.
func Operations() []Operation { return slices.Clone(operations()) }

// operations declares the operations once: each declaration derives schemas from types.
var operations = sync.OnceValue(func() []Operation {
	return slices.Concat(
		setupOperations(), sessionOperations(), summaryOperations(), orderOperations(), orderEditOperations(), noteOperations(),
		printOperations(), shipmentOperations(),
		jobOperations(), incompleteOperations(), walletPaymentOperations(), paymentOperations(),
		productOperations(), collectionOperations(), mediaOperations(), stockOperations(), couponOperations(), orderLinkOperations(),
		siteOperations(), designOperations(), reviewOperations(), translationOperations(), customerOperations(),
		contactOperations(),
		cashOperations(), analyticsOperations(), campaignOperations(), advertiserOperations(), settingOperations(), domainOperations(),
		exportOperations(), providerOperations(), webhookOperations(), messageOperations(), memberOperations(), keyOperations(), eventOperations(),
		webhookEndpointOperations(), notificationOperations(), operatorOperations(),
	)
})

// Check returns an error unless every operation has a permission, an ID and a path of its own. The
// server does not start otherwise.
func Check(operations []Operation) error {
	var errs []error
	ids, paths := map[string]bool{}, map[string]bool{}
	for _, o := range operations {
		path := o.Method + " " + o.Route()
		if ids[o.ID] || paths[path] || o.ID == "" {
			errs = append(errs, fmt.Errorf("operation %q (%s): ID and path must be unique", o.ID, path))
		}
		ids[o.ID], paths[path] = true, true
		permission := o.Use.Permission
		if permission == "" || permission == access.OperatorOnly {
			errs = append(errs, fmt.Errorf("operation %q: the use case %q must have a permission that staff can have in shop/access", o.ID, o.Use))
		}
		for _, use := range o.Also {
			if use.Permission != permission {
				errs = append(errs, fmt.Errorf("operation %q: the use case %q must have the permission %s", o.ID, use, permission))
			}
		}
	}
	return errors.Join(errs...)
}

// output is an operation's output.
type output[T any] struct{ Body T }

// input is the input of an operation, into which [request] is embedded.
type input[I any] interface {
	*I
	exchange() Exchange
}

// define returns an operation whose response is JSON. The caller occupies its work only while do
// runs: after the request is read and before the response is sent.
func define[I, T any, P input[I]](
	o Operation, do func(ctx context.Context, in P) (*T, error),
) Operation {
	if o.Method == "" {
		o.Method = http.MethodGet
	}
	o.parameters, o.recovers = parametersOf[I](), true
	_, o.conditional = reflect.TypeFor[I]().FieldByName(reflect.TypeFor[Precondition]().Name())
	if f, ok := reflect.TypeFor[I]().FieldByName("Body"); ok {
		o.body = f.Type
	}
	o.register = func(api huma.API, op huma.Operation) {
		huma.Register(api, op, func(ctx context.Context, in *I) (*output[T], error) {
			out, err := working(P(in).exchange(), o.work(), func() (*T, error) {
				return recoverOr[T](ctx, P(in).exchange(), o.Resumes, func() (*T, error) { return do(ctx, in) })
			})
			if err != nil {
				return nil, err
			}
			return &output[T]{*out}, nil
		})
	}
	return o
}

// working calls do while the caller occupies its work.
func working[T any](x Exchange, work Work, do func() (T, error)) (out T, err error) {
	release, err := x.Acquire(work)
	if err != nil {
		return out, err
	}
	defer release()
	return do()
}

// fileTypes are the media types of files by extension, with their names.
var fileTypes = map[string][2]string{".csv": {"text/csv", "A CSV file"}, ".ndjson": {"application/x-ndjson", "Lines of JSON"}}

// defineStream returns an operation whose response is a file with a name.
func defineStream[I any, P input[I]](
	o Operation, name string, do func(ctx context.Context, in P, w io.Writer) error,
) Operation {
	o.File = true
	typ := fileTypes[path.Ext(name)]
	return defineContent(o, typ[1], typ[0],
		func(_ context.Context, in P) (func(), error) {
			return func() {
				in.exchange().Stream(name, typ[0], func(ctx context.Context, w io.Writer) error {
					_, err := working(in.exchange(), WorkStream,
						func() (any, error) { return nil, do(ctx, in, w) })
					return err
				})
			}, nil
		})
}

// definePage returns an operation whose response is an HTML page.
func definePage[I any, P input[I]](
	o Operation, do func(ctx context.Context, in P) ([]byte, error),
) Operation {
	return defineContent(o, "An HTML page", "text/html",
		func(ctx context.Context, in P) (func(), error) {
			html, err := working(in.exchange(), WorkList, func() ([]byte, error) { return do(ctx, in) })
			return func() { in.exchange().SendPage(html) }, err
		})
}

// defineEvents returns an operation whose response is a stream of events.
func defineEvents[I any, P input[I]](
	o Operation, open func(ctx context.Context, in P) (*live.Stream, error),
) Operation {
	o.Live = true
	return defineContent(o, "Events as they happen", "text/event-stream",
		func(_ context.Context, in P) (func(), error) {
			return func() {
				in.exchange().Follow(func(ctx context.Context) (*live.Stream, error) {
					// while it opens; the server limits streams
					return working(in.exchange(), WorkRecord,
						func() (*live.Stream, error) { return open(ctx, in) })
				})
			}, nil
		})
}

// defineContent returns an operation with a response that is not JSON. prepare returns the function
// that sends it.
func defineContent[I any, P input[I]](
	o Operation, description, media string,
	prepare func(ctx context.Context, in P) (send func(), err error),
) Operation {
	o.Method, o.Stream, o.parameters = http.MethodGet, true, parametersOf[I]()
	o.register = func(api huma.API, op huma.Operation) {
		op.Responses = map[string]*huma.Response{"200": {
			Description: description,
			Content:     map[string]*huma.MediaType{media: {Schema: &huma.Schema{Type: huma.TypeString}}},
		}}
		huma.Register(api, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
			send, err := prepare(ctx, in)
			if err != nil {
				return nil, err
			}
			return &huma.StreamResponse{Body: func(huma.Context) { send() }}, nil
		})
	}
	return o
}

// Done is the response of an operation without another result.
type Done struct {
	Success bool `json:"success"`
}

// done is the response of an operation that returns only an error.
func done(err error) (*Done, error) {
	if err != nil {
		return nil, err
	}
	return &Done{true}, nil
}
