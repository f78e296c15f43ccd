package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"reflect"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// interruptInterval is the time between interrupts of a reader whose context has ended. One is lost
// if it arrives between two statements.
const interruptInterval = 5 * time.Millisecond

// handleOf returns SQLite's handle of a connection. The driver interrupts a statement only if it
// runs with a context, at the cost of one goroutine per statement, which is a third of a point
// read.
func handleOf(raw driver.Conn) (uintptr, error) {
	v := reflect.ValueOf(raw)
	if v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		if field := v.Elem().FieldByName("db"); field.Kind() == reflect.Uintptr && field.Uint() != 0 {
			return uintptr(field.Uint()), nil
		}
	}
	return 0, fmt.Errorf("the driver's connection %T has no handle", raw)
}

// interruptAfter interrupts the connection's running statement when ctx ends, until stop is called.
// Only readers may be interrupted: on the writer's connection SQLite would roll back the whole
// transaction, with the updates of other callers.
func (c *conn) interruptAfter(ctx context.Context) (stop func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	ended, stopped := make(chan struct{}), make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(stopped)
		tls := libc.NewTLS() // the connection's own belongs to the goroutine that runs the statement
		defer tls.Close()
		for {
			sqlite3.Xsqlite3_interrupt(tls, c.handle)
			select {
			case <-ended:
				return
			case <-time.After(interruptInterval):
			}
		}
	})
	return func() {
		if !cancel() {
			close(ended)
			<-stopped // a late interrupt would hit the connection's next user
		}
	}
}
