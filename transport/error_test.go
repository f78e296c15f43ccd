package transport_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/fault"
	"storefront/transport"
)

func TestStatus_EveryCode(t *testing.T) {
	t.Parallel()
	for _, info := range fault.Codes() {
		status := transport.Status(info.Code)
		if status < 400 || (status == http.StatusInternalServerError) != (info.Kind == fault.KindInternal) {
			t.Errorf("%s: got %d", info.Code, status)
		}
	}
	if got := transport.Status("no_such_code"); got != http.StatusInternalServerError {
		t.Errorf("unknown code: got %d, want 500", got)
	}
}

func TestNewFailure(t *testing.T) {
	t.Parallel()
	disk := errors.New("disk on fire")
	wrapped := fmt.Errorf("open shop: %w", &fault.Error{Code: fault.CodeUnavailable, Message: "Not now.", RetryAfter: 30, Err: disk})
	for name, test := range map[string]struct {
		err    error
		code   fault.Code
		status int
		cause  string
		header http.Header
	}{
		"client's fault": {&fault.Error{Code: fault.CodeNotFound, Message: "No order."}, fault.CodeNotFound, 404, "", http.Header{}},
		"unknown error":  {disk, fault.CodeInternal, 500, "disk on fire", http.Header{}},
		"storage":        {wrapped, fault.CodeUnavailable, 503, wrapped.Error(), http.Header{"Retry-After": {"30"}}},
		"timeout": {fmt.Errorf("query: %w", context.DeadlineExceeded), fault.CodeUnavailable, 503,
			"query: context deadline exceeded", http.Header{"Retry-After": {"1"}}},
		"no token": {&fault.Error{Code: fault.CodeUnauthenticated}, fault.CodeUnauthenticated, 401, "", http.Header{"Www-Authenticate": {"Bearer"}}},
		"throttled": {&fault.Error{Code: fault.CodeRateLimited, RetryAfter: 7}, fault.CodeRateLimited, 429, "",
			http.Header{"Retry-After": {"7"}, "Ratelimit": {`"attempts";r=0;t=7`}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := transport.NewFailure(test.err)
			cause := ""
			if f.Cause != nil {
				cause = f.Cause.Error()
			}
			if f.Code != test.code || f.Status != test.status || cause != test.cause || f.Fields == nil {
				t.Errorf("got %+v", f)
			}
			header := http.Header{}
			f.SetHeaders(header)
			if diff := cmp.Diff(test.header, header); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewFailure_ManyFields(t *testing.T) {
	t.Parallel()
	f := transport.NewFailure(fault.InputError(make([]fault.FieldError, 1)...))
	if len(f.Fields) != 0 {
		t.Errorf("unnamed field: got %v", f.Fields)
	}
	many := make([]fault.FieldError, 5000)
	for i := range many {
		many[i].Field = "x"
	}
	if f := transport.NewFailure(fault.InputError(many...)); len(f.Fields) != transport.MaxFieldErrors {
		t.Errorf("got %d fields, want %d", len(f.Fields), transport.MaxFieldErrors)
	}
}

func TestSetHeaders_RateLimitSet(t *testing.T) {
	t.Parallel()
	h := http.Header{"Ratelimit": {`"requests";r=0;t=3`}}
	f := transport.NewFailure(&fault.Error{Code: fault.CodeRateLimited, RetryAfter: 3})
	f.SetHeaders(h)
	if got := h.Get("RateLimit"); got != `"requests";r=0;t=3` {
		t.Errorf("got %s", got)
	}
}

func TestLogLevel(t *testing.T) {
	t.Parallel()
	gone, disconnect := context.WithCancel(t.Context())
	disconnect()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for name, test := range map[string]struct {
		ctx   context.Context
		cause error
		want  slog.Level
	}{
		"success":               {t.Context(), nil, slog.LevelInfo},
		"internal error":        {t.Context(), errors.New("disk on fire"), slog.LevelError},
		"unavailable":           {t.Context(), &fault.Error{Code: fault.CodeUnavailable}, slog.LevelError},
		"timeout":               {late, context.DeadlineExceeded, slog.LevelError},
		"client gone":           {gone, fmt.Errorf("query: %w", context.Canceled), slog.LevelInfo},
		"cancelled by a bug":    {t.Context(), context.Canceled, slog.LevelError},
		"failure, then a leave": {gone, errors.New("disk on fire"), slog.LevelError},
	} {
		if got := transport.LogLevel(test.ctx, test.cause); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}
