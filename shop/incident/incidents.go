package incident

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/sequence"
)

// Incidents are the incidents of a server, in the data of the installation. They are safe for
// concurrent use.
type Incidents struct {
	data access.Data
	ids  *sequence.Source
}

// New returns the incidents of the installation with that data. It reads nothing.
func New(data access.Data, ids *sequence.Source) *Incidents { return &Incidents{data, ids} }

// List returns the open incidents and those that ended within [Retention], newest first. Codes:
// unauthenticated, forbidden.
func (i *Incidents) List(ctx context.Context, caller access.Caller) ([]Incident, error) {
	return access.Read(ctx, i.data, caller, access.ToListIncidents, func(tx *db.Tx, _ access.Staff) ([]Incident, error) {
		return findIncidents(tx)
	})
}

// Published is [Incidents.List] for everybody.
func (i *Incidents) Published(ctx context.Context) (list []Incident, err error) {
	err = i.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		list, err = findIncidents(tx)
		return err
	})
	return list, err
}

// Open announces an incident. Codes: validation_failed, unauthenticated, forbidden, proof_required.
func (i *Incidents) Open(ctx context.Context, caller access.Caller, in Input) (*Incident, error) {
	return access.Write(ctx, i.data, caller, access.ToOpenIncident, func(tx *db.Tx, who access.Staff) (*Incident, error) {
		var bad fault.Invalid
		if in.check(&bad); in.Title == nil {
			bad.Add("title", fault.CodeRequired, "A title is required.")
		}
		if err := bad.Err(); err != nil {
			return nil, err
		}
		if err := purge(tx); err != nil {
			return nil, err
		}
		list, err := findIncidents(tx)
		if err != nil {
			return nil, err
		}
		open := 0
		for at := range list {
			if list[at].IsOpen() {
				open++
			}
		}
		if open >= maxOpen {
			bad.Add("title", fault.CodeInvalidValue, "%d incidents are open, which is the limit: resolve one first.", open)
			return nil, bad.Err()
		}
		created := Incident{ID: i.ids.Next(tx.Now()), Components: []Component{}, StartedAt: tx.Now()}
		created.apply(&in, tx.Now())
		if err := save(tx, &created); err != nil {
			return nil, err
		}
		return &created, created.audit(tx, who)
	})
}

// Update adds an update to an incident, also to one that is over. Codes: not_found,
// validation_failed, unauthenticated, forbidden, proof_required.
func (i *Incidents) Update(ctx context.Context, caller access.Caller, id string, in Input) (*Incident, error) {
	return access.Write(ctx, i.data, caller, access.ToUpdateIncident, func(tx *db.Tx, who access.Staff) (*Incident, error) {
		found, err := find(tx, id)
		if err != nil {
			return nil, err
		}
		var bad fault.Invalid
		if in.check(&bad); len(found.Updates) >= maxUpdates {
			bad.Add("text", fault.CodeInvalidValue, "The incident has %d updates, which is the limit: open another.", len(found.Updates))
		}
		if err := bad.Err(); err != nil {
			return nil, err
		}
		found.apply(&in, tx.Now())
		if err := save(tx, found); err != nil {
			return nil, err
		}
		return found, found.audit(tx, who)
	})
}

// Remove deletes an incident, such as one that was opened by mistake. Codes: not_found,
// unauthenticated, forbidden, proof_required.
func (i *Incidents) Remove(ctx context.Context, caller access.Caller, id string) error {
	return access.Do(ctx, i.data, caller, access.ToRemoveIncident, func(tx *db.Tx, who access.Staff) error {
		found, err := find(tx, id)
		if err != nil {
			return err
		}
		if err := tx.Do(`
			DELETE FROM incidents
			WHERE id = ?`, id); err != nil {
			return fmt.Errorf("delete incident: %w", err)
		}
		return who.Audit(tx, found.subject())
	})
}

func (i *Incident) subject() access.Subject {
	return access.Subject{Kind: access.SubjectIncident, ID: i.ID, Label: i.Title}
}

// audit adds the newest update to the audit log.
func (i *Incident) audit(tx *db.Tx, who access.Staff) error {
	return who.Audit(tx, i.subject(), access.Set("state", i.State), access.Set("text", i.Updates[0].Text), access.Set("components", i.Components))
}

const selectIncidents = `
	SELECT id, title, state, components, updates, started_at, resolved_at
	FROM incidents `

func scanIncident(r db.Row) (i Incident, err error) {
	var components, updates string
	if err = r.Scan(&i.ID, &i.Title, &i.State, &components, &updates, &i.StartedAt, &i.ResolvedAt); err == nil {
		err = json.Unmarshal([]byte(components), &i.Components)
	}
	if err == nil {
		err = json.Unmarshal([]byte(updates), &i.Updates)
	}
	return i, err
}

func findIncidents(tx *db.Tx) ([]Incident, error) {
	list, err := db.Query(tx, scanIncident, selectIncidents+`
		WHERE resolved_at IS NULL OR resolved_at > ?
		ORDER BY started_at DESC, id DESC`, endOfRetention(tx))
	if err != nil {
		return nil, fmt.Errorf("find incidents: %w", err)
	}
	return db.OrEmpty(list), nil
}

func endOfRetention(tx *db.Tx) int64 { return db.Millis(tx.Now().Add(-Retention)) }

// find returns an incident. Codes: not_found.
func find(tx *db.Tx, id string) (*Incident, error) {
	found, err := scanIncident(tx.QueryRow(selectIncidents+`
		WHERE id = ?`, id))
	if errors.Is(err, db.ErrNotFound) {
		return nil, fault.Errorf(fault.CodeNotFound, "There is no such incident.")
	}
	if err != nil {
		return nil, fmt.Errorf("find incident: %w", err)
	}
	return &found, nil
}

func purge(tx *db.Tx) error {
	err := tx.Do(`
		DELETE FROM incidents
		WHERE resolved_at <= ?`, endOfRetention(tx))
	if err != nil {
		return fmt.Errorf("delete old incidents: %w", err)
	}
	return nil
}

func save(tx *db.Tx, i *Incident) error {
	components, err := json.Marshal(i.Components)
	if err != nil {
		return fmt.Errorf("encode components: %w", err)
	}
	updates, err := json.Marshal(i.Updates)
	if err != nil {
		return fmt.Errorf("encode updates: %w", err)
	}
	err = tx.Do(`
		INSERT INTO incidents (id, title, state, components, updates, started_at, resolved_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET title = excluded.title, state = excluded.state, components = excluded.components,
			updates = excluded.updates, resolved_at = excluded.resolved_at`,
		i.ID, i.Title, i.State, string(components), string(updates), db.Millis(i.StartedAt), db.NullMillis(i.ResolvedAt))
	if err != nil {
		return fmt.Errorf("save incident: %w", err)
	}
	return nil
}
