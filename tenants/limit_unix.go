//go:build linux || darwin

package tenants

import "syscall"

// fileLimit returns the limit of open files of this process; 0 means unknown. Go raises it to the
// hard limit at start.
func fileLimit() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return limit.Cur
}
