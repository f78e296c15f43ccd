package db

import (
	"database/sql/driver"
	"fmt"
)

// checkForeignKeys finds rows that refer to nothing.
func checkForeignKeys(c *conn) error {
	broken := ""
	err := c.each("PRAGMA foreign_key_check", func(v []driver.Value) error {
		if broken == "" {
			broken = fmt.Sprintf("a row of %v refers to a missing row of %v", v[0], v[2])
		}
		return nil
	})
	if err != nil {
		return err
	}
	if broken != "" {
		return fmt.Errorf("%w: %s", ErrForeignKey, broken)
	}
	return nil
}
