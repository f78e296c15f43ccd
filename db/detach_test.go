package db_test

import (
	"context"
	"testing"
	"time"

	"storefront/db"
)

func TestDetach(t *testing.T) {
	t.Parallel()
	type key struct{}
	ended, end := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	end()
	ctx, cancel := db.Detach(ended)
	defer cancel()
	deadline, ok := ctx.Deadline()
	if ctx.Err() != nil || ctx.Value(key{}) != "value" || !ok || time.Until(deadline) > time.Minute {
		t.Errorf("got error %v, value %v, deadline %v (%v); want a context that ends within a minute", ctx.Err(), ctx.Value(key{}), deadline, ok)
	}
}
