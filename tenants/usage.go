package tenants

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// ShopUsage is a shop in a list with its usage.
type ShopUsage struct {
	Summary
	// FileBytes is the size of the shop's file. It is nil for a shop in the database.
	FileBytes *int64 `json:"fileBytes" doc:"Size of its file; null in PostgreSQL"`
	// Usage is nil if there is a problem.
	Usage *shop.Usage `json:"usage" doc:"null if it cannot be read"`
	// Requests and their times are counted since the server has operators or plans.
	Requests            int64 `json:"requests" doc:"Requests to the shop, saved every minute"`
	RequestMilliseconds int64 `json:"requestMilliseconds" doc:"Time that these took, waiting included"`
	// CPUMilliseconds lacks work in the background.
	CPUMilliseconds int64 `json:"cpuMilliseconds" doc:"Estimate of their CPU time, from each 16th request; 0 if the server is not on Linux"`
}

// usageReaders is the number of shops that are read at the same time.
const usageReaders = 4

// ListUsage returns all shops with their usage in a month; see [shop.ParseMonth]. progress is
// called with the number of shops that are done. A shop that cannot be read is listed with its
// problem. Codes: validation_failed.
func (t *Tenants) ListUsage(
	ctx context.Context, caller access.Caller, month string, progress func(done, total int),
) ([]ShopUsage, error) {
	list, err := t.List(ctx)
	if err != nil {
		return nil, err
	}
	return t.readUsages(ctx, caller, month, list, progress)
}

// readUsages reads the usage of shops in a month.
func (t *Tenants) readUsages(
	ctx context.Context, caller access.Caller, month string, list []Summary, progress func(done, total int),
) ([]ShopUsage, error) {
	if _, err := shop.ParseMonth(month, t.now()); err != nil {
		return nil, err
	}
	usages := make([]ShopUsage, len(list))
	done := make(chan struct{}, len(list))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(usageReaders)
	for i := range list {
		group.Go(func() error {
			usages[i].Summary = list[i]
			if err := t.readUsage(groupCtx, caller, month, &usages[i]); err != nil {
				if groupCtx.Err() != nil {
					return groupCtx.Err()
				}
				text := err.Error()
				usages[i].Problem = &text
			}
			done <- struct{}{}
			progress(len(done), len(list))
			return nil
		})
	}
	return usages, group.Wait()
}

func (t *Tenants) readUsage(ctx context.Context, caller access.Caller, month string, u *ShopUsage) error {
	if u.Problem != nil {
		return nil
	}
	if u.Place == InFiles {
		size, err := t.files.Size(ctx, db.ID(u.UID))
		if err != nil && !errors.Is(err, db.ErrNoTenant) {
			return err
		}
		u.FileBytes = &size
	}
	var err error
	t.files.Briefly(ctx, db.ID(u.UID), func(ctx context.Context) {
		var s *shop.Shop
		if s, err = t.FindIncludingSuspended(ctx, u.UID); err == nil {
			u.Usage, err = s.FindUsage(ctx, caller, month)
		}
	})
	if fault.HasCode(err, fault.CodeTenantNotFound) {
		return errors.New("deleted in the meantime")
	}
	if err != nil {
		return fmt.Errorf("read usage: %w", err)
	}
	s, err := t.Installation(ctx)
	if fault.HasCode(err, fault.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := s.Plans.FindRequests(ctx, u.UID, u.Usage.Month)
	u.Requests, u.RequestMilliseconds, u.CPUMilliseconds = r.Requests, r.Milliseconds, r.CPUMilliseconds
	return err
}
