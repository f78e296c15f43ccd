package replica

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"storefront/db/sqlite"
)

// mark is the content of the file [sqlite.ShippingMark]. Its first line is the generation's name
// and its second the target's. Its modification time is the time of the newest shipped write.
type mark struct {
	generation string
	began      time.Time
	shipped    time.Time // zero if nothing has been shipped
}

// notShipped is the modification time of the mark of a file that has not been shipped.
var notShipped = time.Unix(0, 0)

func markPath(path string) string {
	return filepath.Join(sqlite.ShippingDir(path), sqlite.ShippingMark)
}

// readMark returns the zero mark if there is no valid one, or if it belongs to another target.
func readMark(path, target string) mark {
	text, err := os.ReadFile(markPath(path))
	if err != nil {
		return mark{}
	}
	info, err := os.Stat(markPath(path))
	if err != nil {
		return mark{}
	}
	generation, of, _ := strings.Cut(string(text), "\n")
	m := mark{generation: generation}
	if m.began, err = generationStart(generation); err != nil || of != target {
		return mark{}
	}
	if shipped := info.ModTime(); shipped.After(notShipped) {
		m.shipped = shipped
	}
	return m
}

func writeShipped(path string, at time.Time) error { return os.Chtimes(markPath(path), at, at) }

// startGeneration starts a new generation of the file at path and deletes the local state of the
// previous one.
func startGeneration(path, target string) (mark, error) {
	dir := sqlite.ShippingDir(path)
	err := os.RemoveAll(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	m := mark{generation: newGeneration(time.Now())}
	if err == nil {
		err = os.WriteFile(markPath(path), []byte(m.generation+"\n"+target), 0o600)
	}
	if err == nil {
		err = writeShipped(path, notShipped)
	}
	if err == nil {
		m.began, err = generationStart(m.generation)
	}
	if err != nil {
		return mark{}, fmt.Errorf("start a generation: %w", err)
	}
	return m, nil
}
