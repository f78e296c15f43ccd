package passkey

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/fault"
)

// Most is the number of passkeys that an account can have.
const Most = 10

// Passkey is a passkey of an account as its owner sees it.
type Passkey struct {
	ID         string     `json:"_id"`
	Name       string     `json:"name"`
	Host       string     `json:"host" doc:"The host at which it was created, and signs in"`
	Synced     bool       `json:"synced" doc:"Whether a password manager has copied it to other devices"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt" doc:"null if never"`
}

// Row is a row of a table of passkeys.
type Row struct {
	Passkey
	Owner          string // ID of the account
	CredentialID   []byte
	PublicKey      []byte // COSE
	Handle         []byte // of the user
	SignCount      int64
	BackupEligible bool
	Transports     []string
}

// Table is a table of passkeys.
type Table struct {
	Name  string
	Owner string // column
}

func (t Table) columns() string {
	return `p.id, p.` + t.Owner + `, p.credential_id, p.public_key, p.user_handle, p.sign_count, p.backup_eligible, p.backed_up, p.transports,
		p.rp_id, p.name, p.created_at, p.used_at`
}

func scan(r db.Row) (row Row, err error) {
	var transports string
	var used *int64
	err = r.Scan(&row.ID, &row.Owner, &row.CredentialID, &row.PublicKey, &row.Handle, &row.SignCount, &row.BackupEligible, &row.Synced, &transports,
		&row.Host, &row.Name, &row.CreatedAt, &used)
	if err != nil {
		return row, err
	}
	row.LastUsedAt = db.FromNullMillis(used)
	return row, json.Unmarshal([]byte(transports), &row.Transports)
}

// CheckCount checks that an account can have another passkey. Codes: state_conflict.
func CheckCount(existing []Row) error {
	if len(existing) < Most {
		return nil
	}
	return fault.Errorf(fault.CodeStateConflict, "There are already %d passkeys: remove one that is no longer used.", Most)
}

// Insert adds a passkey. Codes: state_conflict (the account has [Most], or the passkey is stored).
func (t Table) Insert(tx *db.Tx, row *Row) error {
	existing, err := t.List(tx, row.Owner)
	if err != nil {
		return err
	}
	if err := CheckCount(existing); err != nil {
		return err
	}
	transports, err := json.Marshal(row.Transports)
	if err != nil {
		return fmt.Errorf("encode transports: %w", err)
	}
	n, err := tx.Exec(`
		INSERT INTO `+t.Name+` (id, `+t.Owner+`, credential_id, public_key, user_handle, sign_count, backup_eligible, backed_up, transports,
			rp_id, name, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (credential_id) DO NOTHING`, row.ID, row.Owner, row.CredentialID, row.PublicKey, row.Handle, row.SignCount,
		row.BackupEligible, row.Synced, string(transports), row.Host, row.Name, db.Millis(row.CreatedAt))
	if err != nil {
		return fmt.Errorf("insert passkey: %w", err)
	}
	if n == 0 {
		return fault.Errorf(fault.CodeStateConflict, "This passkey is already set up.")
	}
	return nil
}

// Find returns the passkey with the ID of a credential, or db.ErrNotFound.
func (t Table) Find(tx *db.Tx, credentialID []byte) (Row, error) {
	row, err := scan(tx.QueryRow(`
		SELECT `+t.columns()+`
		FROM `+t.Name+` p
		WHERE p.credential_id = ?`, credentialID))
	if err != nil {
		return Row{}, fmt.Errorf("find passkey: %w", err)
	}
	return row, nil
}

// List returns the passkeys of an account, the oldest first.
func (t Table) List(tx *db.Tx, owner string) ([]Row, error) {
	list, err := db.Query(tx, scan, `
		SELECT `+t.columns()+`
		FROM `+t.Name+` p
		WHERE p.`+t.Owner+` = ?
		ORDER BY p.created_at, p.id`, owner)
	if err != nil {
		return nil, fmt.Errorf("list passkeys: %w", err)
	}
	return list, nil
}

// Require returns one of an account's passkeys by its own ID. Codes: not_found.
func (t Table) Require(tx *db.Tx, owner, id string) (Row, error) {
	row, err := scan(tx.QueryRow(`
		SELECT `+t.columns()+`
		FROM `+t.Name+` p
		WHERE p.id = ? AND p.`+t.Owner+` = ?`, id, owner))
	if errors.Is(err, db.ErrNotFound) {
		return Row{}, fault.Errorf(fault.CodeNotFound, "There is no such passkey.")
	}
	if err != nil {
		return Row{}, fmt.Errorf("find passkey: %w", err)
	}
	return row, nil
}

// Rename saves the name of a passkey.
func (t Table) Rename(tx *db.Tx, row *Row) error {
	_, err := tx.Exec(`
		UPDATE `+t.Name+`
		SET name = ?
		WHERE id = ?`, row.Name, row.ID)
	if err != nil {
		return fmt.Errorf("rename passkey: %w", err)
	}
	return nil
}

// SaveUse records that a passkey is used now, with its sign count.
func (t Table) SaveUse(tx *db.Tx, row *Row) error {
	_, err := tx.Exec(`
		UPDATE `+t.Name+`
		SET used_at = ?, sign_count = ?, backed_up = ?
		WHERE id = ?`, db.Millis(tx.Now()), row.SignCount, row.Synced, row.ID)
	if err != nil {
		return fmt.Errorf("save use of passkey: %w", err)
	}
	return nil
}

// Delete deletes a passkey.
func (t Table) Delete(tx *db.Tx, id string) error {
	_, err := tx.Exec(`
		DELETE FROM `+t.Name+`
		WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("delete passkey: %w", err)
	}
	return nil
}

// Passkeys returns rows as their owner sees them.
func Passkeys(rows []Row) []Passkey {
	list := make([]Passkey, len(rows))
	for i := range rows {
		list[i] = rows[i].Passkey
	}
	return list
}
