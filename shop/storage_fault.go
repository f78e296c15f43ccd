package shop

import (
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/secret"
)

// faults are what can keep a shop's file from being read or written, and what its operator has to do
// so that the shop goes on. It goes on by itself: no restart is needed.
var faults = []struct {
	kind       error
	retryAfter int // seconds
	todo       string
}{
	{db.ErrFull, 30, "make room on the disk of the data folder"},
	{db.ErrReadOnly, 30, "make the data folder writable: mount its disk for writing (after a failure of the disk, check it first), and see that the folder is the server's user's own"},
	{db.ErrCorrupt, 300, "restore the shop's file from a backup; the other shops are not touched by it"},
	{db.ErrNotTenantFile, 300, "restore the shop's file from a backup; the other shops are not touched by it"},
	{db.ErrNewer, 300, "start the newer version of this program"},
	{db.ErrTooManyFiles, 1, "raise the limit on open files (ulimit -n, LimitNOFILE= of the service), or lower --max-open-tenants"},
	{db.ErrBusy, 1, "see which other command is writing to the shop"},
	{db.ErrIO, 30, "look at the system's log for faults of the disk, and see that the data folder is the server's user's own"},
	{db.ErrClosed, 1, "the server is about to end"},
	{secret.ErrSealed, 300, "bring back the key that the shop was made with (the file key, or STOREFRONT_KEY)"},
}

// storageFault gives the error of code unavailable for what keeps a shop's file from being read or
// written; nil for any other error. Its cause tells the log what to do.
func storageFault(err error) *fault.Error {
	if errors.Is(err, db.ErrUnknownOutcome) {
		return &fault.Error{Code: fault.CodeUnavailable, RetryAfter: 1, Err: err,
			Message: "It is not known whether this was stored. Send it again with the same Idempotency-Key, or look before you do."}
	}
	for _, f := range faults {
		if errors.Is(err, f.kind) {
			return &fault.Error{Code: fault.CodeUnavailable, RetryAfter: f.retryAfter, Err: fmt.Errorf("%w: to do: %s", err, f.todo),
				Message: "The shop can not do this right now, and nothing was changed. Try again in a moment."}
		}
	}
	return nil
}

// AsError gives the domain error in err's chain, or one that hides err's text from the caller and
// keeps it for the log: of code [CodeUnavailable] for a shop's file that can not be read or written
// now, else [CodeInternal].
func AsError(err error) *fault.Error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	if e := storageFault(err); e != nil {
		return e
	}
	return &fault.Error{Code: fault.CodeInternal, Message: "Something went wrong on our side. Try again; if it stays, tell the shop the request id.", Err: err}
}
