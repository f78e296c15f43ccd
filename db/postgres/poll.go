package postgres

import (
	"context"
	"strconv"
	"strings"
	"time"

	"storefront/db"
)

// readStates reads the states of tenants by their numbers.
const readStates = `SELECT shop, version, schema FROM engine_state WHERE shop = ANY ($1::bigint[]) AND state = 'open'`

// recently is the time after its last use for which a tenant's state is read together with others.
const recently = time.Second

// currentState returns the state of a tenant, which is at most as old as versions may be. One query
// reads the states of all recently used tenants, so that their number does not matter.
func (e *Engine) currentState(t *tenant) (state, error) {
	e.polling.Lock()
	defer e.polling.Unlock()
	if t.state.read && e.store.Elapsed()-t.state.at < db.CheckInterval {
		return t.state, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), tripTimeout)
	defer cancel()
	tenants := map[int64]*tenant{t.number: t}
	numbers := []string{strconv.FormatInt(t.number, 10)}
	e.live.Range(func(_, v any) bool {
		other := v.(*tenant)
		if other != t && other.state.read && e.store.Elapsed()-other.state.at < recently {
			tenants[other.number] = other
			numbers = append(numbers, strconv.FormatInt(other.number, 10))
		}
		return true
	})
	at := e.store.Elapsed()
	found := map[int64]state{}
	err := e.rows(ctx, readStates, []db.Value{"{" + strings.Join(numbers, ",") + "}"}, func(row []db.Value) error {
		number, _ := row[0].(int64)
		version, _ := row[1].(int64)
		schema, _ := row[2].(int64)
		found[number] = state{open: true, version: version, schema: int(schema)}
		return nil
	})
	if err != nil {
		return state{}, err
	}
	for number, other := range tenants {
		other.state = found[number]
		other.state.at, other.state.read = at, true
	}
	return t.state, nil
}
