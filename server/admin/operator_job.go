package admin

import (
	"context"
	"net/http"
	"time"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/tenants"
)

// shopJobOperations are the operations of operators that last longer than a request.
func shopJobOperations() []Operation {
	return ofInstallation(
		define(Operation{
			ID: "deleteShop", Method: http.MethodPost, Path: "shops/{shop}/deletion", Use: access.ToDeleteShop,
			Summary: "Suspend a shop, and delete it after some days",
			Description: "Its staff members read the reason and the day, and can save their data until then. resumeShopAsOperator cancels " +
				"the deletion. A deleted shop is in the folder trash until the server purges it.",
			Codes:   []fault.Code{fault.CodeTenantNotFound},
			Example: map[string]any{"reason": "The contract has ended.", "days": 30},
		}, func(ctx context.Context, in *struct {
			request
			ShopPath
			Body tenants.DeletionInput
		}) (*tenants.DeletionDate, error) {
			return in.x.Shops().DeleteShopLater(ctx, in.caller(), in.UID, in.Body)
		}),

		defineJob(Operation{
			ID: "copyShop", Path: "shops/{shop}/copies", Use: access.ToCopyShop,
			Summary: "Copy a shop, to try something in the copy",
			Description: "Creates a job: 200 if it ends within 2 seconds, otherwise 202 with the job, for getShopJob. The copy is in sandbox mode " +
				"and closed to buyers, has the images, and has no API keys. It has the customers too: delete it when it is no longer needed. " +
				"With at or file it is the shop as it was in the past.",
			Codes:   []fault.Code{fault.CodeTenantNotFound, fault.CodeShopExists, fault.CodeJobLimit},
			Example: map[string]any{"uid": "acme-trial"},
		}, func(ctx context.Context, in *struct {
			request
			ShopPath
			Body tenants.CopyInput
		}) (*job.Job, error) {
			return in.x.Shops().CopyShop(ctx, in.caller(), in.UID, in.Body)
		}),

		defineJob(Operation{
			ID: "moveShop", Path: "shops/{shop}/move", Use: access.ToMoveShop,
			Summary: "Move a shop between files and PostgreSQL",
			Description: "Creates a job: 200 if it ends within 2 seconds, otherwise 202 with the job, for getShopJob. Orders wait until the move " +
				"is complete, and pages are shown as usual. The move of an open shop is undone if orders would wait for longer than 5 seconds.",
			Codes:   []fault.Code{fault.CodeTenantNotFound, fault.CodeStateConflict, fault.CodeJobLimit},
			Example: map[string]any{"to": tenants.InPostgres},
		}, func(ctx context.Context, in *struct {
			request
			ShopPath
			Body tenants.MoveInput
		}) (*job.Job, error) {
			return in.x.Shops().MoveShop(ctx, in.caller(), in.UID, in.Body)
		}),

		define(Operation{
			ID: "listRestorePoints", Path: "shops/{shop}/restore-points", Use: access.ToListRestorePoints,
			Summary: "The states in the past to which a shop can be restored",
			Description: "Backups, files of the trash, and the replica, with the number of orders placed since. With at, chosen is " +
				"what a restore to that time uses.",
			Codes: []fault.Code{fault.CodeTenantNotFound, fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ShopPath
			At time.Time `query:"at" doc:"A time in the past"`
		}) (*tenants.RestorePoints, error) {
			var at *time.Time
			if !in.At.IsZero() {
				at = &in.At
			}
			return in.x.Shops().ListRestorePoints(ctx, in.caller(), in.UID, at)
		}),

		defineJob(Operation{
			ID: "restoreShop", Path: "shops/{shop}/restore", Use: access.ToRestoreShop,
			Summary: "Replace a shop with its state in the past",
			Description: "Creates a job: 200 if it ends within 2 seconds, otherwise 202 with the job, for getShopJob. Orders placed since are no " +
				"longer in the shop. The replaced file is in the trash, and listRestorePoints has it: restore it to undo this. All staff members " +
				"must sign in again, and access that has ended stays ended. A shop in PostgreSQL is restored as another shop, by copyShop.",
			Codes:   []fault.Code{fault.CodeTenantNotFound, fault.CodeJobLimit},
			Example: map[string]any{"at": "2026-03-01T12:30:00Z", "reason": "All products were deleted by mistake."},
		}, func(ctx context.Context, in *struct {
			request
			ShopPath
			Body tenants.RestoreInput
		}) (*job.Job, error) {
			return in.x.Shops().RestoreShop(ctx, in.caller(), in.UID, in.Body)
		}),

		define(Operation{
			ID: "getShopJob", Path: "jobs/{jobId}", Use: access.ToFindShop,
			Summary: "A job on a shop", Description: "If ok is null, the job has not ended.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			JobPath
		}) (*job.Job, error) {
			return in.x.Shops().FindShopJob(ctx, in.caller(), in.JobID)
		}),
	)
}
