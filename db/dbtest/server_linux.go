package dbtest

import (
	"os/exec"
	"slices"
	"syscall"
)

// dieWithParent has the kernel kill the command's process when the thread that starts it ends.
// setpriv, which would undo that, does it itself.
func dieWithParent(cmd *exec.Cmd) {
	if cmd.Args[0] == "setpriv" {
		cmd.Args = slices.Insert(cmd.Args, 1, "--pdeathsig", "KILL")
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
