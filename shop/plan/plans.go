package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// Plans are the plans of a server, in the data of the installation. They are safe for concurrent
// use.
type Plans struct{ data access.Data }

// New returns the plans of the installation with that data. It reads nothing.
func New(data access.Data) *Plans { return &Plans{data} }

// Stored is a plan of the server.
type Stored struct {
	Plan
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// maxPlans limits the plans of a server.
const maxPlans = 100

// List returns the plans by name. Codes: unauthenticated, forbidden.
func (p *Plans) List(ctx context.Context, caller access.Caller) ([]Stored, error) {
	return access.Read(ctx, p.data, caller, access.ToListPlans, func(tx *db.Tx, _ access.Staff) ([]Stored, error) {
		return findPlans(tx)
	})
}

// All returns the plans by name, for the program itself.
func (p *Plans) All(ctx context.Context) (list []Stored, err error) {
	err = p.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		list, err = findPlans(tx)
		return err
	})
	return list, err
}

// Save creates a plan, or replaces the one with its name. The shops with the plan receive it by
// [storefront/tenants.Tenants.PushCopies]. Codes: validation_failed, unauthenticated,
// forbidden, proof_required.
func (p *Plans) Save(ctx context.Context, caller access.Caller, in Plan) (*Stored, error) {
	return access.Write(ctx, p.data, caller, access.ToSavePlan, func(tx *db.Tx, who access.Staff) (*Stored, error) {
		var bad fault.Invalid
		in.Check(&bad, "")
		if err := bad.Err(); err != nil {
			return nil, err
		}
		list, err := findPlans(tx)
		if err != nil {
			return nil, err
		}
		saved := Stored{Plan: in, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		saved.Revision = db.Millis(tx.Now()) // greater than a removed plan of the same name had
		var before *LimitSet
		var wasAtHost *bool
		if i := slices.IndexFunc(list, func(s Stored) bool { return s.Name == in.Name }); i >= 0 {
			before, wasAtHost, saved.CreatedAt = &list[i].Limits, list[i].OwnHost, list[i].CreatedAt
			saved.Revision = max(saved.Revision, list[i].Revision+1)
		} else if len(list) >= maxPlans {
			bad.Add("name", fault.CodeInvalidValue, "The server has %d plans, which is the limit: remove one first.", len(list))
			return nil, bad.Err()
		}
		if err := insertPlan(tx, &saved); err != nil {
			return nil, err
		}
		changes := []access.Change{{Field: "limits", Before: before, After: saved.Limits}, access.Set("soft", saved.Soft)}
		if !reflect.DeepEqual(wasAtHost, saved.OwnHost) {
			changes = append(changes, access.Change{Field: "ownHost", Before: wasAtHost, After: saved.OwnHost})
		}
		return &saved, who.Audit(tx, saved.subject(), changes...)
	})
}

// Remove deletes a plan that no shop has. Codes: not_found, unauthenticated, forbidden,
// proof_required.
func (p *Plans) Remove(ctx context.Context, caller access.Caller, name string) error {
	return access.Do(ctx, p.data, caller, access.ToRemovePlan, func(tx *db.Tx, who access.Staff) error {
		n, err := tx.Exec(`
			DELETE FROM plans
			WHERE name = ?`, name)
		switch {
		case err != nil:
			return fmt.Errorf("delete plan: %w", err)
		case n == 0:
			return ErrNotFound()
		}
		return who.Audit(tx, (&Stored{Plan: Plan{Name: name}}).subject())
	})
}

// ErrNotFound returns the error about a plan that does not exist. Codes: not_found.
func ErrNotFound() error { return fault.Errorf(fault.CodeNotFound, "There is no such plan.") }

func (s *Stored) subject() access.Subject {
	return access.Subject{Kind: access.SubjectPlan, ID: s.Name, Label: s.Name}
}

func findPlans(tx *db.Tx) ([]Stored, error) {
	list, err := db.Query(tx, func(r db.Row) (s Stored, err error) {
		var limits, soft string
		if err = r.Scan(&s.Name, &s.Revision, &limits, &soft, &s.OwnHost, &s.CreatedAt, &s.UpdatedAt); err == nil {
			err = json.Unmarshal([]byte(limits), &s.Limits)
		}
		if err == nil {
			err = json.Unmarshal([]byte(soft), &s.Soft)
		}
		return s, err
	}, `
		SELECT name, revision, limits, soft, own_host, created_at, updated_at
		FROM plans
		ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("find plans: %w", err)
	}
	return db.OrEmpty(list), nil
}

func insertPlan(tx *db.Tx, s *Stored) error {
	limits, err := json.Marshal(s.Limits)
	if err != nil {
		return fmt.Errorf("encode limits: %w", err)
	}
	soft, err := json.Marshal(s.Soft)
	if err != nil {
		return fmt.Errorf("encode soft limits: %w", err)
	}
	err = tx.Do(`
		INSERT INTO plans (name, revision, limits, soft, own_host, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET revision = excluded.revision, limits = excluded.limits, soft = excluded.soft,
			own_host = excluded.own_host, updated_at = excluded.updated_at`,
		s.Name, s.Revision, string(limits), string(soft), s.OwnHost, db.Millis(s.CreatedAt), db.Millis(s.UpdatedAt))
	if err != nil {
		return fmt.Errorf("save plan: %w", err)
	}
	return nil
}
