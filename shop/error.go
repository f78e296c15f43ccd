package shop

import (
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/secret"
)

// faults are the errors of reading or writing a shop's data, and the operator's remedy. The shop
// then recovers without a restart.
var faults = []struct {
	kind       error
	retryAfter int // seconds
	remedy     string
}{
	{db.ErrFilesRemoved, 30, "restore the copy that the log names, and find out who changes the data folder"},
	{db.ErrFull, 30, "free space on the disk of the data folder, or of the database server"},
	{db.ErrReadOnly, 30, "make the data folder writable: mount its disk read-write (after a disk failure, check it first), " +
		"and check that the server's user owns the folder"},
	{db.ErrCorrupt, 300, "restore the shop's file from a backup; the other shops are not touched by it"},
	{db.ErrNotTenantFile, 300, "restore the shop's file from a backup; the other shops are not touched by it"},
	{db.ErrUpgrade, 300, "restore the copy in before-steps with the older version, and report the schema step that failed"},
	{db.ErrNewer, 300, "start the newer version of this program"},
	{db.ErrTooManyFiles, 1, "raise the limit on open files (ulimit -n, LimitNOFILE= of the service), or lower --max-open-tenants"},
	{db.ErrConnection, 1, "start the database server, and check that this machine can reach it; the server connects again by itself"},
	{db.ErrUnusable, 30, "change the database as the error says; the server tries again by itself"},
	{db.ErrOutdated, 300, "restart the server of this version, which migrates the database"},
	{db.ErrBusy, 1, "find out which other command is writing to the shop"},
	{db.ErrIO, 30, "check the system log for disk errors, and check that the server's user owns the data folder"},
	{db.ErrClosed, 1, "none: the server is shutting down"},
	{secret.ErrSealed, 300, "restore the key that the shop was created with (the file key, or STOREFRONT_KEY)"},
}

// storageFault returns an error of code unavailable if err is an error of reading or writing a
// shop's data, and nil for any other. Its cause, which is logged, includes the remedy.
func storageFault(err error) *fault.Error {
	if errors.Is(err, db.ErrUnknownOutcome) {
		return &fault.Error{Code: fault.CodeUnavailable, RetryAfter: 1, Err: err,
			Message: "It is unknown whether the request was saved. Send it again with the same Idempotency-Key, or check before you do."}
	}
	for _, f := range faults {
		if errors.Is(err, f.kind) {
			return &fault.Error{Code: fault.CodeUnavailable, RetryAfter: f.retryAfter, Err: fmt.Errorf("%w; remedy: %s", err, f.remedy),
				Message: "The shop is temporarily unavailable and nothing was changed. Try again shortly."}
		}
	}
	return nil
}

// AsError returns the domain error in err's chain. Otherwise it returns an error with err as its
// cause, which is only logged. Its code is [fault.CodeUnavailable] if a shop's data cannot be read
// or written, otherwise [fault.CodeInternal].
func AsError(err error) *fault.Error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	if e := storageFault(err); e != nil {
		return e
	}
	return &fault.Error{
		Code:    fault.CodeInternal,
		Message: "An unexpected error occurred. Try again; if it persists, report the request ID to the shop.",
		Err:     err,
	}
}
