package staff

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// Bounds of the audit log.
const (
	auditRetention = 400 * 24 * time.Hour
	maxAuditRows   = 200_000
	maxAuditText   = 500 // characters of a value in changes
	auditBatch     = 2_000
)

// Via is how an actor has reached the shop.
//
//api:enum Via
type Via string

// The ways to reach a shop.
const (
	ViaDashboard Via = "dashboard" // by a session of the dashboard
	ViaAPI       Via = "api"       // by an API key
	ViaCLI       Via = "cli"       // by the command line
	ViaMCP       Via = "mcp"       // by a tool of an agent
)

// AuditEntry is one row of the audit log.
type AuditEntry struct {
	ID        string          `json:"_id"`
	At        time.Time       `json:"at"`
	Actor     Actor           `json:"actor"`
	Via       Via             `json:"via"`
	Client    string          `json:"client"`
	RequestID string          `json:"requestId"`
	Action    string          `json:"action"`
	Subject   access.Subject  `json:"subject"`
	Changes   []access.Change `json:"changes" nullable:"false"`
}

// AuditFilter selects entries of the audit log. The zero value is the first page of all entries. A
// zero field means any value.
type AuditFilter struct {
	page.Request
	Actor   string    `query:"actor" doc:"The ID of a staff member or an API key, or staff, key, operator or cli"`
	Action  string    `query:"action" doc:"Such as order.confirm"`
	Subject string    `query:"subject" doc:"The ID of the changed record"`
	From    time.Time `query:"from" doc:"At or after this time"`
	Before  time.Time `query:"before" doc:"Before this time"`
}

// ListAudit returns one page of the audit log, newest first. Codes: validation_failed,
// unauthenticated, forbidden.
func (s *Staff) ListAudit(ctx context.Context, caller access.Caller, filter AuditFilter) (*page.List[AuditEntry], error) {
	return access.Read(ctx, s.data, caller, access.ToListAudit, func(tx *db.Tx, who access.Staff) (*page.List[AuditEntry], error) {
		var bad fault.Invalid
		w := filter.Window(&bad)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		count, err := countAudit(tx, filter)
		if err != nil {
			return nil, err
		}
		entries, err := findAudit(tx, filter, w)
		if err != nil {
			return nil, err
		}
		if !who.Permits(access.CostsRead) {
			hideCosts(entries)
		}
		return &page.List[AuditEntry]{Nodes: entries, Meta: w.ListMetaFor(count, len(entries))}, nil
	})
}

// hideCosts masks the shop's costs of variants, as [access.Secret] masks secrets.
func hideCosts(entries []AuditEntry) {
	for _, e := range entries {
		for i := range e.Changes {
			if c := &e.Changes[i]; strings.HasPrefix(c.Field, "variants[") && strings.HasSuffix(c.Field, "].cost") {
				c.Before, c.After = access.Secret, access.Secret
			}
		}
	}
}

// PurgeAudit deletes entries older than 400 days, and the oldest above 200,000. next is the time at
// which the oldest remaining entry reaches that age; a zero time means that there is none.
func (s *Staff) PurgeAudit(ctx context.Context) (next time.Time, err error) {
	for {
		var until int64
		next = time.Time{}
		err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
			oldest, err := findOldestAudit(tx)
			if err != nil {
				return err
			}
			if oldest == nil {
				return nil
			}
			until, next = db.Millis(s.cfg.Now().Add(-auditRetention)), db.FromMillis(*oldest).Add(auditRetention)
			excess, err := findExcessAudit(tx, s.maxAudit)
			if err == nil && excess != nil {
				until = max(until, *excess)
			}
			if err == nil && *oldest > until {
				until = 0
			}
			return err
		})
		if err != nil {
			return next, err
		}
		if until == 0 {
			return next, nil
		}
		err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return deleteAuditUntil(tx, until, auditBatch) })
		if err != nil {
			return next, err
		}
	}
}

// record writes a row of the audit log.
func (who *identity) record(tx *db.Tx, action string, on access.Subject, changes []access.Change) error {
	return who.staff.recordAs(tx, who.actor, who.caller, action, on, changes)
}

func (s *Staff) recordAs(
	tx *db.Tx, actor Actor, caller access.Caller, action string, on access.Subject, changes []access.Change,
) error {
	_, err := s.insertEntry(tx, actor, caller, action, on, changes)
	return err
}

// RecordAgentRead records in the audit log that an agent reads by an operation. Codes:
// unauthenticated, forbidden.
func (s *Staff) RecordAgentRead(ctx context.Context, caller access.Caller, operation string) error {
	_, err := access.Write(ctx, s.data, caller, access.ToReadAsAgent, func(tx *db.Tx, who access.Staff) (struct{}, error) {
		return struct{}{}, who.Audit(tx, access.Subject{Kind: access.SubjectOperation, ID: operation})
	})
	return err
}

// insertEntry inserts a row and returns its ID.
func (s *Staff) insertEntry(
	tx *db.Tx, actor Actor, caller access.Caller, action string, on access.Subject, changes []access.Change,
) (id string, err error) {
	if action == "" {
		return "", fmt.Errorf("audit %s: the use case has no action", on.Kind)
	}
	for i := range changes {
		changes[i].Before, changes[i].After = shortened(changes[i].Before), shortened(changes[i].After)
	}
	id = s.cfg.IDs.Next(tx.Now())
	return id, insertAudit(tx, &AuditEntry{
		ID: id, At: tx.Now(), Actor: actor, Via: viaOf(actor, caller), Client: caller.Client, RequestID: caller.RequestID,
		Action: action, Subject: on, Changes: db.OrEmpty(changes),
	})
}

// shortened truncates a long text, such as a product's description.
func shortened(value any) any {
	var text string
	switch v := value.(type) {
	case string:
		text = v
	case json.RawMessage:
		if len(v) <= maxAuditText {
			return v
		}
		text = string(v)
	default:
		return value
	}
	if runes := []rune(text); len(runes) > maxAuditText {
		return string(runes[:maxAuditText]) + "…"
	}
	return text
}

// EraseAudit deletes the audit log's data of erased persons: labels and changed values of the
// subjects. Actors, actions and times remain. It ignores "", the ID of entries without a subject.
func EraseAudit(tx *db.Tx, subjects []string) error {
	subjects = slices.DeleteFunc(slices.Clone(subjects), func(id string) bool { return id == "" })
	for part := range db.Chunks(subjects) {
		list, args := db.InList(part)
		_, err := tx.Exec(`
			UPDATE audit_log
			SET label = '', changes = '[]'
			WHERE subject_id IN `+list, args...)
		if err != nil {
			return fmt.Errorf("erase audit log: %w", err)
		}
	}
	return nil
}
