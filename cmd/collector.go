package cmd

import (
	"os"
	"runtime/debug"

	"storefront/tenants"
)

// relaxCollector lets the heap of a server, which is small, grow to five times what is in use before
// it is collected, where twice is Go's own default: answers then cost a tenth less. Near the bound, a
// quarter of the machine's memory or what the answers that are kept need, it is collected as often
// as it takes. GOGC and GOMEMLIMIT are the operator's word and stand.
func relaxCollector(cacheMiB int) {
	const percent, least = 400, 64 << 20
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	memory := tenants.MachineMemory()
	if memory == 0 {
		return
	}
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(max(int64(memory/4), 2*int64(cacheMiB)<<20+least))
}
