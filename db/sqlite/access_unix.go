//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// checkAccess returns fs.ErrPermission if this process may not read and write the tenant's file at
// path or the files beside it. It opens none of them, see [explain].
func checkAccess(path string) error {
	const readWrite = 4 | 2
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := syscall.Access(name, readWrite); errors.Is(err, syscall.EACCES) {
			owner, _ := ownerOf(name)
			return fmt.Errorf("%s belongs to %v: %w", name, owner, fs.ErrPermission)
		}
	}
	return nil
}
