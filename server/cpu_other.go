//go:build !linux

package server

import "time"

// threadTime returns zero: only Linux is measured.
func threadTime() time.Duration { return 0 }
