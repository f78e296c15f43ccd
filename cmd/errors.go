package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"storefront/db"
	"storefront/shop/fault"
)

// usageError is an error in the flags or arguments of a command.
type usageError struct {
	err     error
	command string // the command to suggest --help for
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// hintedError is an error with a remedy.
type hintedError struct {
	err  error
	hint string
}

func (e *hintedError) Error() string { return e.err.Error() }
func (e *hintedError) Unwrap() error { return e.err }

func withHint(err error, format string, args ...any) error {
	return &hintedError{err: err, hint: fmt.Sprintf(format, args...)}
}

// report prints err and its hint to stderr, and returns the exit code.
func (a *app) report(err error) int {
	if _, logged := errors.AsType[*loggedError](err); logged {
		return exitCode(err)
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(a.Stderr, "storefront: interrupted; incomplete changes were rolled back")
		return ExitFailed
	}
	domain, ok := errors.AsType[*fault.Error](err)
	if ok && len(domain.Fields) > 1 {
		fmt.Fprintf(a.Stderr, "storefront: invalid inputs: %d\n", len(domain.Fields))
		for _, f := range domain.Fields {
			fmt.Fprintf(a.Stderr, "  %s: %s\n", printable(f.Field), printable(f.Message))
		}
	} else if ok && len(domain.Fields) == 1 && strings.ContainsAny(domain.Fields[0].Field, ".[") { // a place in a document
		fmt.Fprintf(a.Stderr, "storefront: %s: %s\n", printable(domain.Fields[0].Field), message(err))
	} else {
		for line := range strings.Lines(message(err)) { // joined errors
			fmt.Fprintf(a.Stderr, "storefront: %s\n", strings.TrimRight(line, "\r\n"))
		}
	}
	if hint := a.hint(err); hint != "" {
		fmt.Fprintf(a.Stderr, "Hint: %s\n", hint)
	}
	return exitCode(err)
}

func exitCode(err error) int {
	if _, ok := errors.AsType[*usageError](err); ok {
		return ExitUsage
	}
	return ExitFailed
}

// message returns the text of err: only the message if it is a domain error without a cause.
func message(err error) string {
	if domain, ok := errors.AsType[*fault.Error](err); ok && domain.Err == nil {
		return domain.Message
	}
	return err.Error()
}

// hint returns the remedy for err, or "".
func (a *app) hint(err error) string {
	if hinted, ok := errors.AsType[*hintedError](err); ok {
		return hinted.hint
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		return "run " + usage.command + " --help"
	}
	switch {
	case fault.HasCode(err, fault.CodeTenantNotFound):
		return "list the shops with " + a.command("tenant list")
	case errors.Is(err, db.ErrExists):
		return "choose another UID; " + a.command("tenant list") + " lists the UIDs in use"
	case errors.Is(err, db.ErrBusy):
		return "retry later: another command is writing to this shop"
	case errors.Is(err, db.ErrOutdated):
		return "migrate the shops with " + a.command("migrate --all") + ", or start the server of this version, which migrates them"
	case errors.Is(err, db.ErrOtherServer):
		return "run the storefront program of the server's version; to upgrade, stop the server and start it with this version"
	case errors.Is(err, fs.ErrPermission):
		return "run the command as the user that owns " + a.dataDir
	}
	return ""
}

// command returns a storefront command line with the same --data flag.
func (a *app) command(rest string) string {
	if a.dataDir == defaultData {
		return "storefront " + rest
	}
	return fmt.Sprintf("storefront --data %s %s", a.dataDir, rest)
}
