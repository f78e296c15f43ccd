package tenants

import (
	"os"
	"strconv"
	"strings"

	"storefront/db"
)

const (
	// memoryPerShop is the usual maximum that a shop with an open file uses, in bytes: its writer and
	// readers with their caches.
	memoryPerShop = 2 << 20
	// minOpen and maxOpen bound the limit: with fewer, every request opens a file; more bring nothing
	// beyond the system's page cache.
	minOpen, maxOpen = 16, 4096
	// defaultOpen is the limit on systems that do not report their memory.
	defaultOpen = 256
)

// OpenLimit returns the default number of shops whose files are open at once. They use at most a
// quarter of the machine's memory, and half of the process's file descriptors, since connections
// need descriptors too.
func OpenLimit() int {
	limit := defaultOpen
	if memory := machineMemory(); memory > 0 {
		limit = int(min(memory/4/memoryPerShop, maxOpen))
	}
	if files := fileLimit(); files > 0 {
		limit = int(min(uint64(limit), files/2/uint64(db.Options{}.FilesPerTenant())))
	}
	return min(max(limit, minOpen), maxOpen)
}

// machineMemory returns the memory available to the process, in bytes: the machine's, or the limit
// of its container. 0 means unknown.
func machineMemory() uint64 {
	var memory uint64
	info, err := os.ReadFile("/proc/meminfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemTotal:" {
				kib, _ := strconv.ParseUint(fields[1], 10, 64) // 0: unknown
				memory = kib << 10
				break
			}
		}
	}
	bound, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if err != nil {
		return memory
	}
	if limit, err := strconv.ParseUint(strings.TrimSpace(string(bound)), 10, 64); err == nil && (memory == 0 || limit < memory) {
		return limit
	}
	return memory
}
