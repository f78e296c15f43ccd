package admin

import (
	"bytes"
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/cash"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
)

func cashOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "getCash", Path: "cash", Tag: tagCash, Use: access.ToReportCash, List: true,
			Summary: "The cash that couriers owe to the shop",
			Description: "For each courier, the cash under way, held, deducted as fees and paid " +
				"out, and the differences to clarify. Differences are listed for the newest 1,000 " +
				"shipments that have any; bounded is true if there are more.",
		}, func(ctx context.Context, in *struct{ request }) (*cash.Report, error) {
			return in.shop().Cash.ReportCash(ctx, in.caller())
		}),

		define(Operation{
			ID: "listCourierBalances", Path: "cash/balances",
			Tag: tagCash, Use: access.ToListCourierBalances, Provider: true,
			Summary: "Balances and newest payouts, as couriers report them",
			Description: "Only courier_b reports balances, if it is configured in the shop's " +
				"mode. The courier is queried at most once a minute. getCash has the figures of " +
				"the shop's own ledger.",
		}, func(ctx context.Context, in *struct{ request }) (*order.CourierBalances, error) {
			return in.shop().Orders.ListCourierBalances(ctx, in.caller())
		}),

		define(Operation{
			ID: "listLedger", Path: "cash/shipments", Tag: tagCash, Use: access.ToListLedger, List: true,
			Summary: "The ledger by shipment, the newest shipments first",
			Description: "The amounts due, collected, deducted and paid out with each shipment. " +
				"Filters are combined. Filtered lists are counted up to 10,000; bounded is true " +
				"if there are more.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			cash.LedgerFilter
		}) (*page.List[cash.LedgerLine], error) {
			in.Request = in.page()
			return in.shop().Cash.ListLedger(ctx, in.caller(), in.LedgerFilter)
		}),

		define(Operation{
			ID: "listStatements", Path: "cash/statements",
			Tag: tagCash, Use: access.ToListStatements, List: true,
			Summary:     "The couriers' statements that were reconciled, newest first",
			Description: "Each has its sums and the number of its differences.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
		}) (*page.List[cash.Statement], error) {
			return in.shop().Cash.ListStatements(ctx, in.caller(), in.page())
		}),

		define(Operation{
			ID: "getStatement", Path: "cash/statements/{statementId}",
			Tag: tagCash, Use: access.ToFindStatement,
			Summary: "One statement with its differences",
			Description: "The differences are from the time of reconciliation, each with its " +
				"order; getCash has the remaining ones. A statement that is recorded in part, or " +
				"was reconciled before differences were stored, has no list.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			ID string `path:"statementId" doc:"From listStatements"`
		}) (*cash.StatementRecord, error) {
			return in.shop().Cash.FindStatement(ctx, in.caller(), in.ID)
		}),

		define(Operation{
			ID: "inspectStatement", Method: http.MethodPost, Path: "cash/statements/columns",
			Tag: tagCash, Use: access.ToInspectStatement, CSV: true, Workbook: true,
			Summary: "Find the kinds of the columns of a courier's statement",
			Description: "The kinds follow from their names, or from the columns that were specified for the same header. Nothing is stored. " +
				"Specify others with columns of reconcileStatement.",
		}, func(ctx context.Context, in *struct {
			request
			Courier plugin.Provider `query:"courier" doc:"Use only what was specified for this courier"`
			RawBody []byte          `contentType:"text/csv"`
		}) (*cash.StatementColumns, error) {
			return in.shop().Cash.InspectStatement(ctx, in.caller(), cash.StatementFile{Courier: in.Courier, File: bytes.NewReader(in.RawBody)})
		}),

		define(Operation{
			ID: "reconcileStatement", Method: http.MethodPost, Path: "cash/statements",
			Tag: tagCash, Use: access.ToReconcileStatement, CSV: true, Workbook: true, Idempotent: true, Resumes: true,
			Summary: "Match a courier's statement to the ledger",
			Description: "The body is a CSV file or a workbook (.xlsx) with a row for each shipment: the consignment ID and the amounts collected, " +
				"deducted and paid out, in major units. Lines above the header are skipped. Amounts that differ are listed and added nevertheless, " +
				"because the courier pays by its statement. With dryRun nothing is stored. Otherwise a column with amounts of an unknown kind is " +
				"an error until columns is specified, which is then saved for the courier and the header.",
			Codes: []fault.Code{fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			Courier plugin.Provider      `query:"courier" doc:"Defaults to the courier of the shipments"`
			Columns string               `query:"columns" doc:"Their kinds in order, as in consignment,collected,none,fee,paidOut"`
			Arrived page.Optional[int64] `query:"arrived" doc:"Amount received at the bank, in minor units"`
			DryRun  bool                 `query:"dryRun" doc:"Report the matches and store nothing"`
			RawBody []byte               `contentType:"text/csv"`
		}) (*cash.Reconciliation, error) {
			return in.shop().Cash.ReconcileStatement(ctx, in.caller(), cash.StatementFile{
				Courier: in.Courier, File: bytes.NewReader(in.RawBody), Columns: cash.ParseColumns(in.Columns), Arrived: in.Arrived.Pointer(), DryRun: in.DryRun,
			})
		}),
	}
}
