package dbtest

import (
	"os/exec"
	"runtime"
	"sync"
)

// starts are the commands for starter.
var (
	starts  = make(chan func())
	starter = sync.OnceFunc(func() {
		go func() {
			runtime.LockOSThread() // until the process ends: the kernel ends servers with the thread that started them
			for start := range starts {
				start()
			}
		}()
	})
)

// StartServer starts a command. On Linux it is killed when the test's process ends, even after a
// panic. The caller waits for it.
func StartServer(cmd *exec.Cmd) error {
	starter()
	dieWithParent(cmd)
	started := make(chan error)
	starts <- func() { started <- cmd.Start() }
	return <-started
}
