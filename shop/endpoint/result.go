package endpoint

import (
	"fmt"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// reason is the reason for a failure without an attempt, for staff.
type reason string

func (r reason) Error() string { return string(r) }

// The reasons.
const (
	reasonInactive reason = "The endpoint was set to inactive."
	reasonDisabled reason = "The endpoint was disabled."
	reasonPurged   reason = "The event is no longer stored."
	reasonInternal reason = "The program could not prepare it; the endpoint is not the cause. " +
		"The server's log has the reason."
	reasonDenied reason = "The staff member who set up the endpoint may no longer view orders. " +
		"Set the payload to thin, or have somebody who may view them save the URL again."
)

// result is the result of an attempt.
type result struct {
	response Response
	err      error // there was no response
	internal bool  // nothing was sent because of a fault of the program
	took     time.Duration
}

func (r *result) isSuccess() bool { return r.err == nil && r.response.Status/100 == 2 }

// status returns the status of the response; nil if there was none.
func (r *result) status() *int {
	if r.err != nil {
		return nil
	}
	return &r.response.Status
}

// describe sets the fields of a delivery about its last attempt.
func (r *result) describe(d *Delivery) {
	d.TookMs, d.ResponseStatus, d.Answer, d.Error = new(int(r.took.Milliseconds())), nil, "", nil
	if r.err != nil {
		d.Error = new(fault.Sentence(fault.Reason(r.err)))
		return
	}
	d.ResponseStatus, d.Answer = r.status(), answerText(r.response.Body)
	if !r.isSuccess() {
		d.Error = new(
			fmt.Sprintf(
				"The response had the status %d: only 200 to 299 accept a webhook.", r.response.Status,
			),
		)
	}
}

// maxFailing is the time of failing attempts after which an endpoint is disabled.
const maxFailing = 5 * 24 * time.Hour

// maxAnswer limits the stored part of a response, in bytes.
const maxAnswer = 2 << 10

// answerText returns the beginning of a response as text that every engine can store.
func answerText(body []byte) string {
	text := string(body[:min(len(body), maxAnswer)])
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// record records an attempt, unless its claim ended: another server sends the delivery, staff
// requested another attempt, or the endpoint was deleted. If the URL was replaced during the
// attempt, a failure does not count, and the delivery is immediately due at the new URL.
func record(tx *db.Tx, o *outgoing, r *result) error {
	to, err := findEndpoint(tx, o.endpoint.ID)
	if fault.HasCode(err, fault.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	isOld := to.URL != o.endpoint.URL
	if isOld && !o.purged && !r.isSuccess() {
		_, err := deliveries.Release(tx, o.claim, "")
		return err
	}
	held, err := recordDelivery(tx, o, to, r)
	if err != nil {
		return err
	}
	if !held {
		return nil
	}
	if isOld || r.internal {
		return nil
	}
	to.LastDelivery = &LastDelivery{At: tx.Now(), ResponseStatus: r.status()}
	switch {
	case r.isSuccess():
		to.FailingSince = nil
	case !o.purged:
		if err := recordFailure(tx, to, r); err != nil {
			return err
		}
	}
	return updateEndpoint(tx, to)
}

// recordDelivery records an attempt in its delivery, and reports whether its claim was held.
func recordDelivery(tx *db.Tx, o *outgoing, to *Endpoint, r *result) (held bool, err error) {
	d := o.delivery
	r.describe(d)
	d.Attempts++
	d.NextAt = deliveries.Retry(tx.Now(), d.Attempts, r.response.RetryAfter)
	switch {
	case r.isSuccess():
		d.Status, d.NextAt = DeliverySent, nil
	case o.purged || d.NextAt == nil || !to.Active:
		d.Status, d.NextAt = DeliveryFailed, nil
	}
	return saveAttempt(tx, o.claim, d)
}

// recordFailure records a failed attempt at an endpoint, and disables one that is gone or fails for
// too long.
func recordFailure(tx *db.Tx, to *Endpoint, r *result) error {
	if to.FailingSince == nil {
		to.FailingSince = new(tx.Now())
	}
	const gone = 410
	switch {
	case !to.Active:
		return nil
	case r.err == nil && r.response.Status == gone:
		to.DisabledReason = new("It responded with 410: it no longer exists.")
	case tx.Now().Sub(*to.FailingSince) >= maxFailing:
		to.DisabledReason = new("Every attempt in five days failed.")
	default:
		return nil
	}
	to.Active = false
	if err := cancelWaiting(tx, to.ID, reasonDisabled); err != nil {
		return err
	}
	return outbox.Append(
		tx,
		outbox.Event{
			Type:    outbox.WebhookEndpointDisabled,
			Subject: to.ID,
			Data:    outbox.Data{Actor: outbox.Shop()},
		},
	)
}
