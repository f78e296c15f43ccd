//go:build !linux && !darwin

package tenants

import "errors"

// DiskOf returns the space of the file system of a folder. Errors: errors.ErrUnsupported.
func DiskOf(string) (Disk, error) { return Disk{}, errors.ErrUnsupported }
