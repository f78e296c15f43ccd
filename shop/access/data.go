package access

import (
	"context"

	"storefront/db"
)

// Data is the data of one shop, as used by the packages of the domain. Every field is required.
type Data struct {
	Store     *db.Store
	ID        db.ID     // the tenant's UID
	Authorize Authorize // checks a caller before a use case of staff
}

// View runs fn on a snapshot of the data.
func (d Data) View(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error {
	return d.Store.View(ctx, d.ID, fn)
}

// ViewMany is [Data.View] for a function that may read many rows: it leaves a reader free for
// others.
func (d Data) ViewMany(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error {
	return d.Store.ViewMany(ctx, d.ID, fn)
}

// Update runs fn in a write transaction. fn may run again, so it assigns its results and has no
// effect outside the transaction.
func (d Data) Update(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error {
	return d.Store.Update(ctx, d.ID, fn)
}

// UpdateAlone is [Data.Update] for a function with many writes: it shares its commit with no other.
func (d Data) UpdateAlone(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) error) error {
	return d.Store.UpdateAlone(ctx, d.ID, fn)
}

// ViewAs is [Data.View] for a caller who was authorized before, and is checked again.
func (d Data) ViewAs(ctx context.Context, who Staff, fn func(ctx context.Context, tx *db.Tx) error) error {
	return d.View(ctx, Checked(who, fn))
}

// ViewManyAs is [Data.ViewMany] for a caller who was authorized before, and is checked again.
func (d Data) ViewManyAs(ctx context.Context, who Staff, fn func(ctx context.Context, tx *db.Tx) error) error {
	return d.ViewMany(ctx, Checked(who, fn))
}

// UpdateAs is [Data.Update] for a caller who was authorized before, and is checked again.
func (d Data) UpdateAs(ctx context.Context, who Staff, fn func(ctx context.Context, tx *db.Tx) error) error {
	return d.Update(ctx, Checked(who, fn))
}

// UpdateAloneAs is [Data.UpdateAlone] for a caller who was authorized before, and is checked again.
func (d Data) UpdateAloneAs(ctx context.Context, who Staff, fn func(ctx context.Context, tx *db.Tx) error) error {
	return d.UpdateAlone(ctx, Checked(who, fn))
}

// Read executes a use case of staff that reads: it authorizes the caller, and runs fn on a snapshot
// in which the caller is checked again. Codes: as for [Authorize], and fn's.
func Read[T any](
	ctx context.Context, d Data, caller Caller, use UseCase, fn func(tx *db.Tx, who Staff) (T, error),
) (T, error) {
	return execute(ctx, d, d.View, caller, use, fn)
}

// ReadMany is [Read] for a use case that may read many rows.
func ReadMany[T any](
	ctx context.Context, d Data, caller Caller, use UseCase, fn func(tx *db.Tx, who Staff) (T, error),
) (T, error) {
	return execute(ctx, d, d.ViewMany, caller, use, fn)
}

// Write executes a use case of staff that writes: it authorizes the caller, and runs fn in a write
// transaction in which the caller is checked again. fn audits its changes, and may run again.
// Codes: as for [Authorize], and fn's.
func Write[T any](
	ctx context.Context, d Data, caller Caller, use UseCase, fn func(tx *db.Tx, who Staff) (T, error),
) (T, error) {
	return execute(ctx, d, d.Update, caller, use, fn)
}

// WriteAlone is [Write] for a use case with many writes.
func WriteAlone[T any](
	ctx context.Context, d Data, caller Caller, use UseCase, fn func(tx *db.Tx, who Staff) (T, error),
) (T, error) {
	return execute(ctx, d, d.UpdateAlone, caller, use, fn)
}

// Permit authorizes a use case of staff that reads nothing from the shop's file, such as one with
// cached settings or with a provider's data. Codes: as for [Authorize].
func Permit(ctx context.Context, d Data, caller Caller, use UseCase) error {
	_, err := Read(ctx, d, caller, use, func(*db.Tx, Staff) (struct{}, error) { return struct{}{}, nil })
	return err
}

// Do is [Write] for a use case without a result.
func Do(
	ctx context.Context, d Data, caller Caller, use UseCase, fn func(tx *db.Tx, who Staff) error,
) error {
	_, err := Write(ctx, d, caller, use, func(tx *db.Tx, who Staff) (struct{}, error) {
		return struct{}{}, fn(tx, who)
	})
	return err
}

// execute is the path of every use case of staff. The caller is authorized before any work, which a
// transport may have done before it read the request, and is checked again in the transaction,
// where a permission withdrawn in between is missing. fn then audits its changes. The result is the
// zero value if there is an error.
func execute[T any](
	ctx context.Context, d Data, transact func(context.Context, func(context.Context, *db.Tx) error) error,
	caller Caller, use UseCase, fn func(tx *db.Tx, who Staff) (T, error),
) (result T, err error) {
	who, err := d.Authorize(ctx, caller, use)
	if err != nil {
		return result, err
	}
	err = transact(ctx, Checked(who, func(_ context.Context, tx *db.Tx) (err error) {
		result, err = fn(tx, who)
		return err
	}))
	if err != nil {
		return *new(T), err
	}
	return result, nil
}
