package graphql

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/transport"
)

// requestScope is the context of a document's execution.
type requestScope struct {
	handler *Handler
	shop    *shop.Shop
	caller  access.Caller
	limits  Limits
}

// request is the state of one document in execution: its shop, its caller and its use of the
// limits.
//
// It is a context value, unlike shop and caller elsewhere: the library binds resolvers to the
// schema once, so that they have no other access to their request.
type request struct {
	requestScope
	cancel context.CancelFunc
	// schemaOnly rejects all operations except introspection, because the document exceeds
	// Config.MaxDepth or the request has no shop.
	schemaOnly bool
	refused    atomic.Bool // set if schemaOnly rejected an operation

	abortErr   atomic.Pointer[fault.Error] // set if the document was aborted
	complexity atomic.Int64
	// endValidation releases the document's resources until its first field is read.
	endValidation func()
	begun         atomic.Bool // set by the first operation, whose first unit of work is already charged
	values        atomic.Int64
	signIns       atomic.Int32
	records       sync.Mutex // held while a field reads a record
	isHeavy       atomic.Bool
	acted         sync.Map // of transport.Action: true
	replayed      atomic.Bool
	changed       atomic.Bool // a mutation ran
}

// actions returns the successful actions with an API key, sorted by name.
func (r *request) actions() (all []transport.Action) {
	r.acted.Range(func(action, _ any) bool {
		all = append(all, action.(transport.Action))
		return true
	})
	slices.SortFunc(all, func(a, b transport.Action) int { return strings.Compare(a.Name, b.Name) })
	return all
}

type requestKey struct{}

func requestOf(ctx context.Context) *request {
	return ctx.Value(requestKey{}).(*request)
}

// beginValidation waits until the document may be parsed and validated, as one read of a record by
// its client and on one of the processors. Both slots are released before the first resolver runs,
// which may wait for the client's slots itself. Codes: rate_limited.
func (r *request) beginValidation(ctx context.Context) error {
	release, err := r.limits.AcquireRecord(ctx)
	if err != nil {
		return err
	}
	validating := r.handler.validating
	select {
	case validating <- struct{}{}:
		r.endValidation = sync.OnceFunc(func() { <-validating; release() })
	case <-ctx.Done():
		release()
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil { // of two channels that are ready, select chooses any
		r.endValidation()
		return err
	}
	return nil
}

// begin adds the cost of an operation, charges its client one unit of work, and returns its
// request. Codes: too_complex, rate_limited.
func begin(ctx context.Context, cost int) (*request, error) { return beginWork(ctx, cost, 1) }

// beginWork is begin for an operation of any work.
func beginWork(ctx context.Context, cost, work int) (*request, error) {
	r := requestOf(ctx)
	if r.schemaOnly {
		r.refused.Store(true)
		return nil, clientError(fault.CodeTooComplex, "The document must not be nested more than %d levels deep.", r.handler.cfg.MaxDepth)
	}
	if sum := r.complexity.Add(int64(cost)); sum > int64(r.handler.cfg.MaxComplexity) {
		return nil, clientError(fault.CodeTooComplex,
			"The document is too complex: its operations must not cost more than %d. Use smaller pages or several requests.",
			r.handler.cfg.MaxComplexity)
	}
	if !r.begun.Swap(true) {
		work--
	}
	if work > 0 {
		if err := r.limits.Charge(work); err != nil {
			r.abort(transport.AsError(err))
			return nil, err
		}
	}
	return r, nil
}

// beginStaff is begin for an operation that requires an API key. If the operation succeeds, done
// must be called with its name for the log, such as "plugin__configure courier_a". Codes:
// too_complex, rate_limited, unauthenticated, forbidden.
func beginStaff(ctx context.Context, cost int) (r *request, done func(name string), err error) {
	if r, err = begin(ctx, cost); err != nil {
		return nil, nil, err
	}
	done, err = r.identifyStaff(ctx)
	return r, done, err
}

// identifyStaff returns the function that records a change by the caller's API key.
func (r *request) identifyStaff(ctx context.Context) (done func(name string), err error) {
	actor, err := r.shop.Staff.Identify(ctx, r.caller) // before the operation, which may revoke the key
	if err != nil {
		return nil, err
	}
	return func(name string) { r.acted.Store(transport.Action{Name: name, Actor: actor}, true) }, nil
}

// beginList is beginWork for a list. The list must be read before done is called: a client may read
// only a few concurrently. Codes: too_complex, rate_limited.
func beginList(ctx context.Context, cost, work int) (r *request, done func(), err error) {
	if r, err = beginWork(ctx, cost, work); err != nil {
		return nil, nil, err
	}
	if done, err = r.limits.AcquireList(ctx); err != nil {
		return nil, nil, r.abortIfLimited(err)
	}
	return r, done, nil
}

// beginRecord is begin for a read of single records, which must end before done is called. The
// fields of a document are read one after the other, so that a document waits as one request.
// Codes: too_complex, rate_limited.
func beginRecord(ctx context.Context, cost int) (r *request, done func(), err error) {
	if r, err = begin(ctx, cost); err != nil {
		return nil, nil, err
	}
	r.records.Lock()
	release, err := r.limits.AcquireRecord(ctx)
	if err != nil {
		r.records.Unlock()
		return nil, nil, r.abortIfLimited(err)
	}
	return r, func() { release(); r.records.Unlock() }, nil
}

// abortIfLimited aborts the document if err is a refusal of its client, and returns err.
func (r *request) abortIfLimited(err error) error {
	if fault.HasCode(err, fault.CodeRateLimited) {
		r.abort(transport.AsError(err))
	}
	return err
}

// beginSignIn is begin for operations that verify or set a password or a code. A document may have
// one: aliases would otherwise allow many guesses in one request. Codes: too_complex,
// too_many_operations.
func beginSignIn(ctx context.Context) (*request, error) {
	r, err := begin(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	if r.signIns.Add(1) > 1 {
		return nil, clientError(fault.CodeTooManyOperations,
			"A document must not have more than one operation that uses a password or a code. Send each in its own document.")
	}
	return r, nil
}

// abort cancels the document: no further resolver runs, and the response is err alone.
func (r *request) abort(err *fault.Error) {
	r.abortErr.CompareAndSwap(nil, err)
	r.cancel()
}

// spend adds n values to the size of the response and aborts a response that is too large. A heavy
// response waits for a slot.
func (r *request) spend(ctx context.Context, n int64) {
	limit := r.handler.cfg.MaxValues
	sum := r.values.Add(n)
	if sum > limit {
		r.abort(clientError(fault.CodeTooComplex, "The response must not have more than %d values. Query fewer fields or smaller pages.", limit))
		return
	}
	if sum > limit/10 && r.isHeavy.CompareAndSwap(false, true) {
		select {
		case r.handler.heavy <- struct{}{}:
		case <-ctx.Done():
			r.isHeavy.Store(false) // no slot acquired, none to release
		}
	}
}

// end releases the remaining resources of the document.
func (r *request) end() {
	r.cancel()
	r.endValidation()
	if r.isHeavy.Load() {
		<-r.handler.heavy
	}
}

// bytesPerValue is the number of bytes of a long string that count as one value.
const bytesPerValue = 64

// text adds the size of a long string and returns it.
func (r *request) text(s string) string {
	r.values.Add(int64(len(s) / bytesPerValue)) // the next field checks the sum
	return s
}
