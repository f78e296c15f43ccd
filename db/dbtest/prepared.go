package dbtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Prepared is a data folder that many tests start from: it is created once per process, then
// copied.
type Prepared struct {
	mu  sync.Mutex
	dir string // "" until it is created
}

// prepared are the folders to remove.
var prepared struct {
	mu   sync.Mutex
	dirs []string
}

// Copy copies the folder, and its database if tests run on PostgreSQL, to dir. create creates the
// folder at its argument, and leaves no process that has it open. script is as in [Database]. A
// test that selects its database itself gets a folder of its own.
func (p *Prepared) Copy(tb testing.TB, dir, script string, create func(dir string)) {
	tb.Helper()
	if selectsDatabase(tb) {
		create(dir)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir == "" {
		parent, err := os.MkdirTemp("", "prepared")
		if err != nil {
			tb.Fatal(err)
		}
		prepared.mu.Lock()
		prepared.dirs = append(prepared.dirs, parent)
		prepared.mu.Unlock()
		made := filepath.Join(parent, "data")
		create(made)
		p.dir = made
	}
	CopyDatabase(tb, p.dir, dir, script)
	if err := copyFolder(p.dir, dir); err != nil {
		tb.Fatal(err)
	}
}

// copyFolder copies a folder with the permissions of its files, which the program requires.
func copyFolder(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(target, info.Mode().Perm())
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, info.Mode().Perm())
	})
}

// RemovePrepared removes the folders of all [Prepared], at the end of the process.
func RemovePrepared() {
	prepared.mu.Lock()
	defer prepared.mu.Unlock()
	for _, dir := range prepared.dirs {
		_ = os.RemoveAll(dir) // a later folder of that name is another one
	}
}
