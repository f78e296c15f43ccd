package order

import "storefront/shop/status"

// PaymentQueries returns the queries of what waits for staff, and the index that answers each.
func PaymentQueries() map[string]string {
	where, order, _ := attemptListQuery(&AttemptFilter{Status: []status.Attempt{status.AttemptNeedsReview}})
	both, _, _ := attemptListQuery(&AttemptFilter{Status: []status.Attempt{status.AttemptRefundDue, status.AttemptNeedsReview}})
	return map[string]string{
		"a page of a status":   "SELECT id FROM payment_attempts WHERE " + where + " ORDER BY " + order + " LIMIT ? OFFSET ?",
		"count of statuses":    "SELECT COUNT(*) FROM (SELECT 1 FROM payment_attempts WHERE " + both + " LIMIT ?) found",
		"payments to review":   countNeedReviewQuery,
		"a page of the newest": "SELECT id FROM payment_attempts ORDER BY id DESC LIMIT ? OFFSET ?",
	}
}
