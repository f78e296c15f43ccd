//go:build linux || darwin

package tenants

import "syscall"

// fileLimit gives how many files this process may have open; 0: not known. Go has raised it to the
// hard limit when the process began.
func fileLimit() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return limit.Cur
}
