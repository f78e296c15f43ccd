package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/job"
	"storefront/shop/order"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// JobPath has a job in the path.
type JobPath struct {
	JobID string `path:"jobId" doc:"The job's _id" example:"01KB2M9Q7VX5T3R8WY6ZC4D1EF"`
}

// jobWait is the time for which a request waits for the job that it creates.
const jobWait = 2 * time.Second

// jobOutput is a job: 200 if it has ended, otherwise 202.
type jobOutput struct {
	Status int
	Body   job.Job
}

// defineJob returns an operation that creates a job and waits a moment for its end. Creating or
// previewing a job occupies the work of a list, because it reads many records; the job itself
// does not.
func defineJob[I any, P input[I]](
	o Operation, create func(ctx context.Context, in P) (*job.Job, error),
) Operation {
	o.Method, o.recovers = http.MethodPost, true
	o.register = func(api huma.API, op huma.Operation) {
		huma.Register(api, op, func(ctx context.Context, in *I) (*jobOutput, error) {
			created, err := recoverOr(ctx, P(in).exchange(), o.Resumes, func() (*job.Job, error) {
				return working(P(in).exchange(), WorkList, func() (*job.Job, error) { return create(ctx, in) })
			})
			if err != nil {
				return nil, err
			}
			if x := P(in).exchange(); created.ID != nil {
				if created, err = x.Shop().Jobs.Wait(ctx, x.Caller(), *created.ID, jobWait); err != nil {
					return nil, err
				}
			}
			out := &jobOutput{Status: http.StatusOK, Body: *created}
			if created.FinishedAt == nil {
				out.Status = http.StatusAccepted
			}
			return out, nil
		})
		responses := api.OpenAPI().Paths[op.Path].Post.Responses
		responses["200"].Description = "The job has ended"
		responses["202"] = &huma.Response{Description: "The job continues: request it again by its _id", Content: responses["200"].Content}
	}
	return o
}

// OrderSelection is a filter of orders in a body.
type OrderSelection struct {
	page.Request      `json:"-"`
	IDs               []string               `json:"-"`
	View              order.WorkView         `json:"view,omitempty"`
	Status            []status.Order         `json:"status,omitempty" nullable:"false"`
	PaymentStatus     []status.Payment       `json:"paymentStatus,omitempty" nullable:"false"`
	FulfillmentStatus []status.Fulfillment   `json:"fulfillmentStatus,omitempty" nullable:"false"`
	PaymentMethod     []status.PaymentMethod `json:"paymentMethod,omitempty" nullable:"false"`
	Courier           []plugin.Provider      `json:"courier,omitempty" nullable:"false"`
	ShipmentStatus    []status.Shipment      `json:"shipmentStatus,omitempty" nullable:"false"`
	Calls             order.CallFilter       `json:"calls,omitempty"`
	Tags              []string               `json:"tags,omitempty" nullable:"false" doc:"Only orders with one of these tags"`
	Source            []status.Source        `json:"source,omitempty" nullable:"false"`
	City              string                 `json:"city,omitempty"`
	ProductID         string                 `json:"productId,omitempty"`
	PlacedFrom        time.Time              `json:"placedFrom,omitzero"`
	PlacedBefore      time.Time              `json:"placedBefore,omitzero"`
	ReturnedFrom      time.Time              `json:"returnedFrom,omitzero"`
	MinTotal          page.Optional[int64]   `json:"minTotal,omitzero" doc:"In minor units"`
	MaxTotal          page.Optional[int64]   `json:"maxTotal,omitzero" doc:"In minor units"`
	Test              page.Optional[bool]    `json:"test,omitzero"`
	Search            string                 `json:"search,omitempty"`
	SortBy            order.Sort             `json:"-"`
	Sort              string                 `json:"-"`
}

// ChangeOrdersRequest is the input of changeOrders.
type ChangeOrdersRequest struct {
	request
	Undoable
	Body struct {
		Action  order.BulkAction `json:"action" doc:"The action on each order"`
		IDs     []string         `json:"ids,omitempty" nullable:"false" doc:"Invoice UIDs, at most 200; duplicates count once"`
		Filter  *OrderSelection  `json:"filter,omitempty" doc:"Instead of ids: the filters of listOrders, which must match 1 to 2,000 orders"`
		Options struct {
			Provider *plugin.Provider `json:"provider,omitempty" doc:"The courier, which book requires"`
			Note     *string          `json:"note,omitempty" doc:"For the courier, with book; for the staff, with note"`
			Tags     []string         `json:"tags,omitempty" nullable:"false" doc:"For tag and untag"`
			Reason   *string          `json:"reason,omitempty" doc:"For the timeline; only for cancel"`
			Document order.PrintKind  `json:"document,omitempty" doc:"The printed document, for markPrinted. Defaults to label"`

			SkipShortAddresses bool `json:"skipShortAddresses,omitempty" doc:"Leave out orders with the flag address_short, for confirm"`

			Places map[string]plugin.CourierPlace `json:"places,omitempty" doc:"Destinations by invoice UID, for book. Defaults to each order's address"`
		} `json:"options,omitzero"`
		DryRun bool `json:"dryRun,omitempty" doc:"Only return the expected results: a job without an _id"`
	}
}

// ProductSelection is a filter of products in a body.
type ProductSelection struct {
	page.Request `json:"-"`
	Status       []catalogue.ProductStatus `json:"status,omitempty" nullable:"false"`
	Search       string                    `json:"search,omitempty"`
	CollectionID string                    `json:"collectionId,omitempty"`
	Stock        catalogue.StockFilter     `json:"stock,omitempty"`
	NoImage      bool                      `json:"noImage,omitempty"`
	SortBy       catalogue.ProductListSort `json:"-"`
	Sort         string                    `json:"-"`
}

// ProductActionOptions are the further options of actions on products.
type ProductActionOptions struct {
	Tags        []string                `json:"tags,omitempty" nullable:"false" doc:"For addTags and removeTags"`
	Collection  string                  `json:"collection,omitempty" doc:"The _id or handle, for addToCollection and removeFromCollection"`
	BasisPoints int64                   `json:"basisPoints,omitempty" doc:"Change in per cent of the price, for price: -1000 is 10 % less"`
	Amount      int64                   `json:"amount,omitempty" doc:"Instead of basisPoints: amount to add, in minor units, or to subtract if negative"`
	RoundTo     int64                   `json:"roundTo,omitempty" doc:"The new price becomes the nearest multiple, in minor units"`
	CompareAt   catalogue.CompareAtRule `json:"compareAt,omitempty" doc:"Defaults to keep"`
}

// ChangeProductsRequest is the input of changeProducts.
type ChangeProductsRequest struct {
	request
	Body struct {
		Action  shop.ProductAction   `json:"action" doc:"The action on each product"`
		IDs     []string             `json:"ids,omitempty" nullable:"false" doc:"The _id of each product, at most 200; duplicates count once"`
		Filter  *ProductSelection    `json:"filter,omitempty" doc:"Instead of ids: the filters of listProducts, which must match 1 to 2,000 products"`
		Options ProductActionOptions `json:"options,omitzero"`
		DryRun  bool                 `json:"dryRun,omitempty" doc:"Only return the expected results: a job without an _id"`
	}
}

func (in *ProductActionOptions) options() shop.ProductOptions {
	return shop.ProductOptions{Tags: in.Tags, Collection: in.Collection, Price: catalogue.PriceChange{
		BasisPoints: in.BasisPoints, Amount: in.Amount, RoundTo: in.RoundTo, CompareAt: in.CompareAt,
	}}
}

// RetryJobRequest is the input of retryJob.
type RetryJobRequest struct {
	request
	JobPath
	NoBody
}

// bulkDescription is the common description of the operations on many records.
const bulkDescription = "Creates a job, in which each record is changed by itself: 200 with all results if it ends within 2 seconds, otherwise 202 " +
	"with the job. A record that needs no change is a success with a warning. With dryRun nothing is changed, and the results are the " +
	"expected ones. "

func jobOperations() []Operation {
	return []Operation{
		defineJob(Operation{
			ID: "changeOrders", Path: "bulk/orders",
			Tag: tagJobs, Use: access.ToChangeOrders, Idempotent: true,
			Summary: "Confirm, cancel, book, track, deliver, return, tag or annotate many orders, or mark them as printed",
			Description: bulkDescription + "Requires the permission of the action on one order, which is checked again for each of them: orders.fulfill " +
				"to book, track, deliver and return, orders.write for the others.",
			Codes:   []fault.Code{fault.CodeJobLimit},
			Example: map[string]any{"action": "confirm", "ids": []string{"7ZK3QW8N5T2M4R6V"}, "dryRun": true},
		}, func(ctx context.Context, in *ChangeOrdersRequest) (*job.Job, error) {
			change := order.BulkChange{Action: in.Body.Action, IDs: in.Body.IDs, Filter: (*order.ListFilter)(in.Body.Filter), DryRun: in.Body.DryRun}
			change.Options = order.BulkOptions{Note: textOf(in.Body.Options.Note), Reason: textOf(in.Body.Options.Reason), Tags: in.Body.Options.Tags}
			change.Options.Document, change.Options.Places = in.Body.Options.Document, in.Body.Options.Places
			change.Options.SkipShortAddresses = in.Body.Options.SkipShortAddresses
			if p := in.Body.Options.Provider; p != nil {
				change.Options.Provider = *p
			}
			return in.shop().Orders.ChangeOrders(ctx, in.undoable(in.caller()), change)
		}),

		defineJob(Operation{
			ID: "changeProducts", Path: "bulk/products",
			Tag: tagJobs, Use: access.ToChangeProducts, Idempotent: true,
			Summary: "Publish, archive or delete many products, change their tags, collections or prices, or import their images",
			Description: bulkDescription + "Requires the permission products.write, which is " +
				"checked again for each of them. Prices are rounded half up. With compareAt set, " +
				"the price before the change is shown struck through if the new one is lower. The " +
				"action importImages downloads images over https alone; a product fails if one of " +
				"its images fails, and gets the others.",
			Codes:   []fault.Code{fault.CodeJobLimit, fault.CodeNotFound},
			Example: map[string]any{"action": "publish", "ids": []string{"0ZRJS5B790K7P6HF38ZGHBY4KD"}, "dryRun": true},
		}, func(ctx context.Context, in *ChangeProductsRequest) (*job.Job, error) {
			return in.shop().ChangeProducts(ctx, in.caller(), shop.ProductsChange{
				Action: in.Body.Action, IDs: in.Body.IDs, Filter: (*catalogue.ProductListFilter)(in.Body.Filter), Options: in.Body.Options.options(),
				DryRun: in.Body.DryRun,
			})
		}),

		define(Operation{
			ID: "listJobs", Path: "jobs", Tag: tagJobs, Use: access.ToListJobs, List: true,
			Summary: "List jobs, newest first",
			Description: "Lists the caller's own jobs and jobs on records that the caller may " +
				"view, without the results of their items. Jobs are stored for 30 days.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
		}) (*page.Page[job.Summary], error) {
			return in.shop().Jobs.ListJobs(ctx, in.caller(), in.page())
		}),

		define(Operation{
			ID: "getJob", Path: "jobs/{jobId}", Tag: tagJobs, Use: access.ToFindJob,
			Summary: "One job with the results of its items",
			Description: "If ok is null, the item has no result yet, or the job was cancelled " +
				"before it.",
			Codes: []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			JobPath
		}) (*job.Job, error) {
			return in.shop().Jobs.FindJob(ctx, in.caller(), in.JobID)
		}),

		define(Operation{
			ID: "cancelJob", Method: http.MethodPost, Path: "jobs/{jobId}/cancel",
			Tag: tagJobs, Use: access.ToCancelJob, BodyOptional: true,
			Summary: "Cancel a job",
			Description: "Items that have not begun are left unchanged; items in progress end. " +
				"Requires the permission of the job's action.",
			Codes: changeCodes,
		}, func(ctx context.Context, in *struct {
			request
			JobPath
			NoBody
		}) (*job.Job, error) {
			return in.shop().Jobs.CancelJob(ctx, in.caller(), in.JobID)
		}),

		defineJob(Operation{
			ID: "retryJob", Path: "jobs/{jobId}/retry",
			Tag: tagJobs, Use: access.ToRetryJob, Idempotent: true, BodyOptional: true,
			Summary: "Retry the failed items of a job, as a new job",
			Description: "The job must have ended. Its items are retried by one job only; " +
				"details.job of the error is a job that does so already. Requires the permission " +
				"of the job's action.",
			Codes: append([]fault.Code{fault.CodeJobLimit}, changeCodes...),
		}, func(ctx context.Context, in *RetryJobRequest) (*job.Job, error) {
			return in.shop().Jobs.RetryJob(ctx, in.caller(), in.JobID)
		}),
	}
}
