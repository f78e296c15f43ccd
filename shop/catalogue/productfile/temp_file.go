package productfile

import (
	"bufio"
	"fmt"
	"os"
)

// TempFile is a temporary file of records that memory should not hold.
type TempFile struct {
	File *os.File
	Out  *bufio.Writer // to File; the user flushes it
}

// CreateTemp creates a temporary file.
func CreateTemp() (*TempFile, error) {
	file, err := os.CreateTemp("", "storefront-import-*")
	if err != nil {
		return nil, fmt.Errorf("create temporary file: %w", err)
	}
	// Without its name the file does not outlive the process. Where an open file cannot be removed,
	// Close does it.
	_ = os.Remove(file.Name())
	return &TempFile{File: file, Out: bufio.NewWriterSize(file, 1<<16)}, nil
}

// Close removes the file.
func (f *TempFile) Close() {
	_ = f.File.Close() // nothing of it is needed any more
	_ = os.Remove(f.File.Name())
}
