package catalogue

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPace()
		for _, step := range []struct{ work, rest time.Duration }{
			{unpaced / 2, 0}, {unpaced, unpaced}, {time.Millisecond, time.Millisecond},
		} {
			time.Sleep(step.work)
			before := time.Now()
			if err := p.rest(t.Context()); err != nil {
				t.Fatal(err)
			}
			if rest := time.Since(before); rest != step.rest {
				t.Errorf("after %s of work: got a rest of %s, want %s", step.work, rest, step.rest)
			}
		}
		time.Sleep(time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.rest(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want that the context ended", err)
		}
	})
}
