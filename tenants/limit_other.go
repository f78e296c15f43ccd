//go:build !linux && !darwin

package tenants

// fileLimit returns 0, unknown: Windows has no limit that a server reaches.
func fileLimit() uint64 { return 0 }
