package tenants

import (
	"os"
	"strconv"
	"strings"

	"storefront/db"
)

const (
	// memoryPerShop is what a shop whose file is open takes at the most that is usual: its writer and
	// readers with what they have cached.
	memoryPerShop = 2 << 20
	// minOpen and maxOpen bound what is chosen: fewer make every request open a file, and more
	// bring nothing that the system's own cache does not.
	minOpen, maxOpen = 16, 4096
	// defaultOpen is for systems that tell nothing.
	defaultOpen = 256
)

// OpenLimit chooses how many shops' files stay open at once: a quarter of the machine's memory, and
// half of the files that the process may have open, since connections are files too.
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

// machineMemory gives the memory that the process may use, in bytes: the machine's, or less in a
// container; 0: not known.
func machineMemory() uint64 {
	var memory uint64
	info, err := os.ReadFile("/proc/meminfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemTotal:" {
				kib, _ := strconv.ParseUint(fields[1], 10, 64) // 0: not known
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
