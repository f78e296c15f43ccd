//go:build linux || darwin

package tenants

import "syscall"

// DiskOf returns the space of the file system of a folder. Errors: errors.ErrUnsupported.
func DiskOf(dir string) (Disk, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return Disk{}, err
	}
	block := uint64(st.Bsize)
	return Disk{Free: st.Bavail * block, Size: st.Blocks * block}, nil
}
