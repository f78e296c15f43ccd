package media

import "time"

// NewPatientProcessor is [NewProcessor], without its limit of time, which a busy machine exceeds
// under the race detector.
func NewPatientProcessor() *Processor {
	p := NewProcessor()
	p.timeout = time.Hour
	return p
}
