//go:build !unix

package sqlite

// checkAccess returns nil: on this system SQLite's own error is precise enough.
func checkAccess(string) error { return nil }
