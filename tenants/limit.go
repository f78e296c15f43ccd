package tenants

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"storefront/db/sqlite"
)

const (
	// memoryPerShop is the usual maximum that a shop with an open file uses, in bytes: its writer and
	// readers with their caches.
	memoryPerShop = 2 << 20
	// minOpen and maxOpen bound the limit: with fewer, every request opens a file; more have no
	// advantage over the system's page cache.
	minOpen, maxOpen = 16, 4096
	// defaultOpen is the limit on systems that do not report their memory.
	defaultOpen = 256
)

// OpenLimit returns the default limit of shops with open files. They use at most a quarter of the
// machine's memory, and half of the process's file descriptors, since connections need descriptors
// too.
func OpenLimit() int {
	limit := defaultOpen
	if memory := Memory(); memory > 0 {
		limit = int(min(memory/4/memoryPerShop, maxOpen))
	}
	if files := fileLimit(); files > 0 {
		limit = int(min(uint64(limit), files/2/uint64(sqlite.Options{}.FilesPerTenant())))
	}
	return min(max(limit, minOpen), maxOpen)
}

// Memory returns the memory available to the process, in bytes: the machine's, or the limit of its
// control group, such as a container's or a systemd unit's. 0 means unknown.
func Memory() uint64 { return memoryOf(os.DirFS("/")) }

// memoryOf is Memory for the files of a system.
func memoryOf(system fs.FS) uint64 {
	memory := uint64(0)
	lower := func(limit uint64) {
		if limit > 0 && (memory == 0 || limit < memory) {
			memory = limit
		}
	}
	if info, err := fs.ReadFile(system, "proc/meminfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemTotal:" {
				lower(parseBytes(fields[1]) << 10)
				break
			}
		}
	}
	// A container sees its own group at the root, a unit only below the groups that contain it.
	groups, _ := fs.ReadFile(system, "proc/self/cgroup") // not there: the root group only
	for line := range strings.Lines(string(groups) + "0::/\n1:memory:/\n") {
		hierarchy, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		folder, file := "sys/fs/cgroup", "memory.max"
		switch {
		case slices.Contains(strings.Split(controllers, ","), "memory"): // version 1
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		case hierarchy != "0":
			continue
		}
		for group = path.Clean("/" + group); ; group = path.Dir(group) {
			if text, err := fs.ReadFile(system, path.Join(folder, group, file)); err == nil {
				lower(parseBytes(strings.TrimSpace(string(text))))
			}
			if group == "/" {
				break
			}
		}
	}
	return memory
}

// parseBytes returns 0 for a text other than a number, such as max.
func parseBytes(text string) uint64 {
	n, _ := strconv.ParseUint(text, 10, 64)
	return n
}

// FileLimit returns the number of files and connections that the process may have open. 0 means
// unknown.
func FileLimit() uint64 { return fileLimit() }
