package certificate

// certmagic's storage has no place for failed attempts, and its own pauses apply to one process.
// Servers that share a database also share the authority's limit per name, so the attempts are
// counted in the database.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/caddyserver/certmagic"
)

// attemptsPrefix begins the names under which servers with the same store count failed attempts.
const attemptsPrefix = "attempts"

// failedAttempts counts the attempts of all servers at a certificate that failed since the last
// success. The authority limits them per name, for all servers.
type failedAttempts struct {
	Failures   int       `json:"failures"`
	RetryAfter time.Time `json:"retryAfter"` // earliest time of the next attempt
}

// retryPause returns the pause after a failure, by the number of earlier ones.
func retryPause(failures int) time.Duration { return min(minBackoff<<min(failures, 2), maxBackoff) }

// tooEarlyError means that an attempt failed recently, at this server or another one.
type tooEarlyError struct{ failedAttempts }

func (e *tooEarlyError) Error() string {
	return fmt.Sprintf(
		"an attempt failed, the next one may begin at %s",
		e.RetryAfter.Format(time.RFC3339),
	)
}

func attemptsName(name string) string {
	return path.Join(attemptsPrefix, certmagic.StorageKeys.Safe(name))
}

// attempts returns the failed attempts at a name's certificate.
func (s *sharedStorage) attempts(ctx context.Context, name string) (a failedAttempts, err error) {
	text, _, err := s.store.Get(ctx, attemptsName(name))
	if s.note(ctx, err) == nil {
		err = json.Unmarshal(text, &a)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return a, fmt.Errorf("find failed attempts: %w", err)
	}
	return a, nil
}

// checkAttempts returns a [tooEarlyError] if the authority must not be contacted yet. The caller
// holds the lock of the name's certificate.
func (s *sharedStorage) checkAttempts(ctx context.Context, name string) error {
	a, err := s.attempts(ctx, name)
	if err == nil && time.Now().Before(a.RetryAfter) {
		err = &tooEarlyError{a}
	}
	return err
}

// countFailure counts a failed attempt and returns the number of earlier ones. The caller holds the
// lock of the name's certificate.
func (s *sharedStorage) countFailure(ctx context.Context, name string) (before int, err error) {
	a, err := s.attempts(ctx, name)
	if err != nil {
		return 0, err
	}
	text, err := json.Marshal(
		failedAttempts{a.Failures + 1, time.Now().UTC().Add(retryPause(a.Failures))},
	)
	if err == nil {
		err = s.note(ctx, s.store.Put(ctx, attemptsName(name), text))
	}
	if err != nil {
		return 0, fmt.Errorf("count failed attempt: %w", err)
	}
	return a.Failures, nil
}

// clearFailures deletes the count of a name that has a certificate.
func (s *sharedStorage) clearFailures(ctx context.Context, name string) error {
	return s.note(ctx, s.store.Delete(ctx, attemptsName(name)))
}

// cleanAttempts deletes the counts of names at which no server has failed since a time.
func (s *sharedStorage) cleanAttempts(ctx context.Context, since time.Time) error {
	names, err := s.store.List(ctx, attemptsPrefix)
	for _, name := range names {
		_, storedAt, gerr := s.store.Get(ctx, name)
		if gerr == nil && storedAt.Before(since) {
			gerr = s.store.Delete(ctx, name)
		}
		if gerr != nil && !errors.Is(gerr, fs.ErrNotExist) {
			err = errors.Join(err, gerr)
		}
	}
	return s.note(ctx, err)
}
