package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// stamp returns the current time as part of a file name.
func (s *Files) stamp() string { return s.store.Now().Format("20060102T150405.000Z") }

// unusedName returns a path in dir that starts with name and does not exist.
func unusedName(dir, name string) (string, error) {
	for n := 1; ; n++ {
		path := filepath.Join(dir, name+suffix)
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d%s", name, n, suffix))
		}
		_, err := os.Lstat(path)
		if os.IsNotExist(err) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
	}
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

func renameIfThere(from, to string) error {
	if err := os.Rename(from, to); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// SyncDir flushes a folder to disk, so that created and renamed files survive a power cut. On
// Windows it does nothing: folders cannot be flushed there, and NTFS journals their changes.
func SyncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// MakeFolder creates a folder unless it exists, and those above it, accessible to their owner
// alone. It survives a power cut. own is called with each folder that it creates, to set its owner;
// nil does nothing.
func MakeFolder(path string, own func(path string) error) error {
	if _, err := os.Stat(path); err == nil || !os.IsNotExist(err) {
		return err
	}
	parent := filepath.Dir(path)
	if err := MakeFolder(parent, own); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	if own != nil {
		if err := own(path); err != nil {
			return err
		}
	}
	return SyncDir(parent)
}
