//go:build unix

package sqlite

import (
	"os"
	"syscall"
)

// ownerOf returns the owner of a file. known is false if the file does not exist.
func ownerOf(path string) (owner fileOwner, known bool) {
	info, err := os.Stat(path)
	if err != nil {
		return fileOwner{}, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileOwner{}, false
	}
	return fileOwner{int(st.Uid), int(st.Gid)}, true
}
