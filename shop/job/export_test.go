package job

import "context"

// Claims claims the next job, and reports whether there was one that may run.
func (j *Jobs) Claims(ctx context.Context) (bool, error) {
	row, err := j.claim(ctx)
	return row != nil, err
}
