package tenants

import (
	"testing"
	"testing/fstest"
)

func TestMemory_LimitOfControlGroup(t *testing.T) {
	t.Parallel()
	const machine = "MemTotal:       24576000 kB\nMemFree: 1 kB\n"
	for name, tt := range map[string]struct {
		files map[string]string
		want  uint64
	}{
		"unknown": {nil, 0},
		"machine": {map[string]string{"proc/meminfo": machine}, 24576000 << 10},
		"container": {map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1073741824\n",
		}, 1 << 30},
		"container without a limit": {map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": "max\n"}, 24576000 << 10},
		"unit": {map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "0::/system.slice/storefront.service\n",
			"sys/fs/cgroup/system.slice/storefront.service/memory.max": "536870912\n",
		}, 512 << 20},
		"slice of the unit": {map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "0::/system.slice/storefront.service\n",
			"sys/fs/cgroup/system.slice/memory.max":                    "268435456\n",
			"sys/fs/cgroup/system.slice/storefront.service/memory.max": "max\n",
		}, 256 << 20},
		"version 1": {map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "5:cpu,cpuacct:/docker/a\n4:memory:/docker/a\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":          "9223372036854771712\n",
			"sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes": "2147483648\n",
		}, 2 << 30},
		"version 1, container": {map[string]string{
			"proc/meminfo": machine, "proc/self/cgroup": "4:memory:/docker/a\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "2147483648\n",
		}, 2 << 30},
	} {
		system := fstest.MapFS{}
		for path, text := range tt.files {
			system[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memoryOf(system); got != tt.want {
			t.Errorf("%s: got %d bytes, want %d", name, got, tt.want)
		}
	}
}
