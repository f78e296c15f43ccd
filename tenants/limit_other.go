//go:build !linux && !darwin

package tenants

// fileLimit is not known here: Windows has none that a server comes near.
func fileLimit() uint64 { return 0 }
