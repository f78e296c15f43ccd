//go:build linux || darwin

package tenants

import "syscall"

func diskOf(dir string) (Disk, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return Disk{}, err
	}
	block := uint64(st.Bsize)
	return Disk{Free: st.Bavail * block, Size: st.Blocks * block}, nil
}
