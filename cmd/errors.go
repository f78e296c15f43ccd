package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"storefront/db"
	"storefront/shop"
)

// usageError is a command line that was not understood.
type usageError struct {
	err     error
	command string // to ask for help
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// hintedError carries what to do next.
type hintedError struct {
	err  error
	hint string
}

func (e *hintedError) Error() string { return e.err.Error() }
func (e *hintedError) Unwrap() error { return e.err }

func withHint(err error, format string, args ...any) error {
	return &hintedError{err: err, hint: fmt.Sprintf(format, args...)}
}

// report prints err with what to do next and gives the exit code.
func (a *app) report(err error) int {
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(a.Stderr, "storefront: interrupted; nothing half-done was kept")
		return ExitFailed
	}
	if domain, ok := errors.AsType[*shop.Error](err); ok && len(domain.Fields) > 1 {
		fmt.Fprintf(a.Stderr, "storefront: %d inputs are wrong\n", len(domain.Fields))
		for _, f := range domain.Fields {
			fmt.Fprintf(a.Stderr, "  %s: %s\n", printable(f.Field), printable(f.Message))
		}
	} else {
		fmt.Fprintf(a.Stderr, "storefront: %s\n", message(err))
	}
	if hint := a.hint(err); hint != "" {
		fmt.Fprintf(a.Stderr, "Try: %s\n", hint)
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return ExitUsage
	}
	return ExitFailed
}

// message is the error in words. A domain error's message is enough, unless it hides a cause.
func message(err error) string {
	if domain, ok := errors.AsType[*shop.Error](err); ok && domain.Err == nil {
		return domain.Message
	}
	return err.Error()
}

// hint says what to do next.
func (a *app) hint(err error) string {
	if hinted, ok := errors.AsType[*hintedError](err); ok {
		return hinted.hint
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		return usage.command + " --help"
	}
	switch {
	case shop.HasCode(err, shop.CodeTenantNotFound):
		return a.command("tenant list")
	case errors.Is(err, db.ErrExists):
		return "another UID; " + a.command("tenant list") + " shows those taken"
	case errors.Is(err, db.ErrBusy):
		return "again in a moment: another command is writing to this shop"
	case errors.Is(err, fs.ErrPermission):
		return "as the user that owns " + a.dataDir
	}
	return ""
}

// command is a command line that works on the same data folder.
func (a *app) command(rest string) string {
	if a.dataDir == defaultData {
		return "storefront " + rest
	}
	return fmt.Sprintf("storefront --data %s %s", a.dataDir, rest)
}
