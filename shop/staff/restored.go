package staff

import (
	"fmt"

	"storefront/db"
	"storefront/shop/access"
)

// RestoreEntry is the entry of a restore in the audit log of the restored shop.
type RestoreEntry struct {
	Job     string // ID of the job in the installation
	Actor   Actor  // in the installation
	Caller  access.Caller
	Changes []access.Change
}

// RecordRestore writes the entry of a restore to the audit log of the copy in tx.
func (s *Staff) RecordRestore(tx *db.Tx, e RestoreEntry) error {
	if e.Actor.Kind == access.ActorStaff {
		e.Actor.Kind = access.ActorOperator
	}
	on := access.Subject{Kind: access.SubjectJob, ID: e.Job}
	return s.recordAs(tx, e.Actor, e.Caller, access.ToRestoreShop.Action, on, e.Changes)
}

// IsRestoredBy reports whether the audit log in tx has the restore of a job.
func IsRestoredBy(tx *db.Tx, job string) (found bool, err error) {
	err = tx.QueryRow(`
		SELECT EXISTS (
			SELECT 1
			FROM audit_log
			WHERE subject_id = ? AND action = ?
		)`, job, access.ToRestoreShop.Action).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("find a restore in the audit log: %w", err)
	}
	return found, nil
}
