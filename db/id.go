package db

import "fmt"

// ID is a tenant's UID. It is part of file names, so text from outside must be converted by
// [ParseID]; the store checks it again.
type ID string

const (
	minIDLen = 3
	maxIDLen = 40
)

// ParseID parses a UID, which must match ^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$. Errors: [ErrInvalidID].
func ParseID(s string) (ID, error) {
	id := ID(s)
	if !id.IsValid() {
		return "", ErrInvalidID
	}
	return id, nil
}

// IsValid reports whether [ParseID] accepts the ID.
func (id ID) IsValid() bool {
	if len(id) < minIDLen || len(id) > maxIDLen {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case c == '-' && i > 0 && i < len(id)-1:
		default:
			return false
		}
	}
	return true
}

// Check returns [ErrInvalidID] for an ID that is not valid.
func (id ID) Check() error {
	if id.IsValid() {
		return nil
	}
	return fmt.Errorf("tenant UID: %w", ErrInvalidID)
}
