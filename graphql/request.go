package graphql

import (
	"context"
	"sync/atomic"

	"storefront/shop"
)

// What the operations of a document cost. The sum may not exceed Config.MaxComplexity.
const (
	costOne   = 10  // one record; at least this much for a list
	costAll   = 400 // a list without paging: two fit into a document
	costQuote = 50  // prices of a cart
	costWrite = 100 // anything that is written
)

// request is one document under way: whose shop, who calls, and what it has used up.
//
// It travels in the context, which elsewhere carries neither: the library binds resolvers to the
// schema once, so that there is no other way to hand them what belongs to one request.
type request struct {
	handler *Handler
	shop    *shop.Shop
	caller  shop.Caller
	cancel  context.CancelFunc
	// schemaOnly refuses everything but the schema: the document is deeper than others may be.
	schemaOnly bool
	refused    atomic.Bool // something else was asked for

	fault      atomic.Pointer[shop.Error] // why the document was given up
	complexity atomic.Int64
	values     atomic.Int64
	signIns    atomic.Int32
	isHeavy    atomic.Bool
	replayed   atomic.Bool
}

type requestKey struct{}

func requestOf(ctx context.Context) *request {
	return ctx.Value(requestKey{}).(*request)
}

// begin admits one operation of a document at its cost. Codes: too_complex.
func begin(ctx context.Context, cost int) (*request, error) {
	r := requestOf(ctx)
	if r.schemaOnly {
		r.refused.Store(true)
		return nil, refuse(shop.CodeTooComplex, "The document is nested more than %d levels deep.", r.handler.cfg.MaxDepth)
	}
	if sum := r.complexity.Add(int64(cost)); sum > int64(r.handler.cfg.MaxComplexity) {
		return nil, refuse(shop.CodeTooComplex,
			"The document asks for too much at once: its operations cost more than %d. Ask for smaller pages or in several requests.", r.handler.cfg.MaxComplexity)
	}
	return r, nil
}

// beginSignIn admits the one operation of a document that proves or sets a password or a code.
// Aliases would otherwise make many guesses of one request. Codes: too_complex, too_many_operations.
func beginSignIn(ctx context.Context) (*request, error) {
	r, err := begin(ctx, costWrite)
	if err != nil {
		return nil, err
	}
	if r.signIns.Add(1) > 1 {
		return nil, refuse(shop.CodeTooManyOperations, "A document may sign in or prove a password once: send the rest as documents of their own.")
	}
	return r, nil
}

// abort ends the document: no further resolver runs, and the answer is the fault alone.
func (r *request) abort(fault *shop.Error) {
	r.fault.CompareAndSwap(nil, fault)
	r.cancel()
}

// spend counts n values of the answer and gives up an answer that grows too large.
func (r *request) spend(ctx context.Context, n int64) {
	limit := r.handler.cfg.MaxValues
	sum := r.values.Add(n)
	if sum > limit {
		r.abort(refuse(shop.CodeTooComplex, "The answer would have more than %d values. Ask for fewer fields or smaller pages.", limit))
		return
	}
	if sum > limit/10 && r.isHeavy.CompareAndSwap(false, true) {
		select {
		case r.handler.heavy <- struct{}{}:
		case <-ctx.Done():
			r.isHeavy.Store(false) // got no place, has none to give back
		}
	}
}

// end gives back the place of a heavy answer.
func (r *request) end() {
	r.cancel()
	if r.isHeavy.Load() {
		<-r.handler.heavy
	}
}

// bytesOfText is how many bytes of a long text count as one value.
const bytesOfText = 64

// text counts a long text and gives it.
func (r *request) text(s string) string {
	r.values.Add(int64(len(s) / bytesOfText)) // the next field looks at the sum
	return s
}
