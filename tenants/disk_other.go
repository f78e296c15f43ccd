//go:build !linux && !darwin

package tenants

import "errors"

func diskOf(string) (Disk, error) { return Disk{}, errors.ErrUnsupported }
