package simulator

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"storefront/provider/gatewaya"
)

func (s *Simulator) routeGatewayA() {
	s.handle("POST /gateway_a/gwprocess/v4/api.php", s.startA)
	s.handle("GET /gateway_a/validator/api/validationserverAPI.php", s.validateA)
	s.handle("GET /gateway_a/validator/api/merchantTransIDvalidationAPI.php", s.queryA)
	s.handle("GET /gateway_a/pay/{id}", s.showPage)
	s.handle("POST /gateway_a/pay/{id}", s.submitPage)
}

func (s *Simulator) startA(w http.ResponseWriter, r *http.Request) {
	p := &payment{
		gateway: "gateway_a", ref: r.FormValue("tran_id"), id: newID("SESSION"), store: r.FormValue("store_id"), password: r.FormValue("store_passwd"),
		amount: r.FormValue("total_amount"), currency: r.FormValue("currency"), invoice: r.FormValue("value_a"), webhookURL: r.FormValue("ipn_url"),
		returnURLs: map[Result]string{Pays: r.FormValue("success_url"), Fails: r.FormValue("fail_url"), Cancels: r.FormValue("cancel_url")},
		status:     "UNATTEMPTED",
	}
	if p.ref == "" || p.store == "" || p.password == "" || p.amount == "" {
		writeJSON(w, http.StatusOK, map[string]string{"status": "FAILED", "failedreason": "Store Credential Error Or Store is De-active"})
		return
	}
	switch {
	case s.isOn(StartRefused):
		writeJSON(w, http.StatusOK, map[string]string{"status": "FAILED", "failedreason": "Store is De-active, password " + p.password})
		return
	case s.isOn(StartBusy):
		http.Error(w, "busy", http.StatusTooManyRequests)
		return
	}
	s.add(p)
	if s.isOn(StartFails) {
		hangUp()
	}
	writeJSON(w, http.StatusOK, map[string]string{
		"status": "SUCCESS", "failedreason": "", "sessionkey": p.id, "GatewayPageURL": "http://" + r.Host + "/gateway_a/pay/" + p.id,
	})
}

// finishA performs the buyer's action at gateway_a.
func (s *Simulator) finishA(ctx context.Context, id string, result Result) (Return, error) {
	p, _ := s.change(id, func(p *payment) {
		switch {
		case p.status == "VALID" && (result != Pays || !s.on[PaysTwice]): // already paid: the status is final
		case result == Pays:
			p.status, p.validID, p.validated = "VALID", newID("val"), false
			s.capture(p)
		case result == Fails:
			p.status = "FAILED"
		default:
			p.status = "CANCELLED"
		}
	})
	form := p.webhookForm(p.status)
	switch {
	case s.isOn(WebhookLost):
	case s.isOn(WebhookLate):
		time.AfterFunc(lateDelay, func() { _ = s.SendWebhook(context.WithoutCancel(ctx), id) }) // the fault that loses webhooks
	default:
		if err := s.SendWebhook(ctx, id); err != nil {
			return Return{}, err
		}
	}
	return Return{Method: http.MethodPost, URL: p.returnURLs[result], Form: form}, nil
}

// SendWebhook sends the webhook with the current status of a payment at gateway_a, subject to the
// active faults. id is the shop's reference or the gateway's ID.
func (s *Simulator) SendWebhook(ctx context.Context, id string) error {
	p, _ := s.find(id)
	return s.SendWebhookAs(ctx, id, p.status)
}

// SendWebhookAs sends the webhook of a payment at gateway_a with another status, such as an
// outdated one.
func (s *Simulator) SendWebhookAs(ctx context.Context, id, status string) error {
	p, _ := s.find(id)
	if s.isOn(WebhookForged) {
		p.password += "x"
	}
	form := p.webhookForm(status)
	if _, err := s.post(ctx, p.webhookURL, form); err != nil {
		return err
	}
	if s.isOn(WebhookTwice) {
		_, err := s.post(ctx, p.webhookURL, form)
		return err
	}
	return nil
}

// fields returns the payment's fields in gateway_a's webhooks and responses.
func (p *payment) fields(status string) map[string]string {
	fields := map[string]string{
		"status": status, "tran_id": p.ref, "tran_date": "2026-03-01 12:00:00", "amount": p.amount, "currency": "BDT",
		"currency_type": p.currency, "currency_amount": p.amount, "store_id": p.store, "value_a": p.invoice,
		"card_type": "SIM-Simulated", "card_no": "411111XXXXXX1111",
	}
	if status == "VALID" || status == "VALIDATED" {
		maps.Copy(fields, map[string]string{
			"val_id": p.validID, "bank_tran_id": p.transactionID, "amount": p.capturedAmount,
			"currency_amount": p.capturedAmount, "currency_type": p.capturedCurrency,
			"risk_level": "0", "risk_title": "Safe",
		})
		if p.risky {
			fields["risk_level"], fields["risk_title"] = "1", "Risky"
		}
	}
	return fields
}

// webhookForm returns the signed form of a webhook.
func (p *payment) webhookForm(status string) url.Values {
	form := url.Values{}
	for field, value := range p.fields(status) {
		form.Set(field, value)
	}
	gatewaya.Sign(form, slices.Sorted(maps.Keys(form)), p.password)
	return form
}

func (s *Simulator) validateA(w http.ResponseWriter, r *http.Request) {
	if s.isOn(ValidationDown) {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	found := s.findBy(func(p *payment) bool { return p.validID != "" && p.validID == r.FormValue("val_id") })
	if found == nil || !found.owns(r) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "INVALID_TRANSACTION", "APIConnect": "DONE"})
		return
	}
	status := "VALID"
	p, _ := s.change(found.id, func(p *payment) {
		if p.validated {
			status = "VALIDATED"
		}
		p.validated = true
	})
	response := p.fields(status)
	response["APIConnect"] = "DONE"
	writeJSON(w, http.StatusOK, response)
}

// owns reports whether r has the credentials of the payment's store, which are unknown for a
// restored payment.
func (p *payment) owns(r *http.Request) bool {
	return p.store == "" || p.store == r.FormValue("store_id") && p.password == r.FormValue("store_passwd")
}

// findBy returns a copy of a payment that matches, or nil.
func (s *Simulator) findBy(matches func(p *payment) bool) *payment {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.payments {
		if matches(p) {
			found := *p
			return &found
		}
	}
	return nil
}

// queryA handles gateway_a's transaction API: queries of payments and refunds, and refunds.
func (s *Simulator) queryA(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.isOn(ValidationDown):
		http.Error(w, "down", http.StatusServiceUnavailable)
	case strings.HasPrefix(r.FormValue("store_passwd"), "wrong"):
		writeJSON(w, http.StatusOK, map[string]string{"APIConnect": "FAILED"})
	case r.FormValue("bank_tran_id") != "":
		s.refundA(w, r)
	case r.FormValue("refund_ref_id") != "":
		s.refundStatusA(w, r)
	default:
		p, ok := s.find(r.FormValue("tran_id"))
		if !ok || !p.owns(r) || p.status == "UNATTEMPTED" {
			writeJSON(w, http.StatusOK, map[string]any{"APIConnect": "DONE", "no_of_trans_found": 0, "element": ""})
			return
		}
		writeJSON(w, http.StatusOK, map[string]any{"APIConnect": "DONE", "no_of_trans_found": 1, "element": []any{p.fields(p.status)}})
	}
}

func (s *Simulator) refundA(w http.ResponseWriter, r *http.Request) {
	found := s.findBy(func(p *payment) bool { return p.transactionID == r.FormValue("bank_tran_id") })
	if found == nil || !found.owns(r) {
		writeJSON(w, http.StatusOK, map[string]string{"APIConnect": "DONE", "status": "failed", "errorReason": "Invalid bank transaction"})
		return
	}
	if s.isOn(RefundRefused) {
		writeJSON(w, http.StatusOK, map[string]string{
			"APIConnect": "DONE", "status": "failed", "errorReason": "Insufficient store balance, password " + found.password,
		})
		return
	}
	var made refund
	reason := ""
	ref := r.FormValue("refund_trans_id")
	s.change(found.id, func(p *payment) {
		if i := slices.IndexFunc(p.refunds, func(r refund) bool { return r.ref == ref }); i >= 0 {
			if made = p.refunds[i]; s.on[RefundOnce] {
				reason = "Duplicate refund_trans_id"
			}
			return
		}
		var ok bool
		if made, ok = p.addRefund(ref, r.FormValue("refund_amount")); !ok {
			reason = "Refund amount exceeds the payment"
		}
	})
	if s.isOn(RefundLost) {
		hangUp()
	}
	if reason != "" {
		writeJSON(w, http.StatusOK, map[string]string{"APIConnect": "DONE", "status": "failed", "errorReason": reason})
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{
		"APIConnect": "DONE", "bank_tran_id": found.transactionID, "trans_id": ref, "refund_ref_id": made.id, "status": "success",
	})
}

func (s *Simulator) refundStatusA(w http.ResponseWriter, r *http.Request) {
	id := r.FormValue("refund_ref_id")
	found := s.findBy(func(p *payment) bool {
		return slices.ContainsFunc(p.refunds, func(r refund) bool { return r.id == id })
	})
	if found == nil {
		writeJSON(w, http.StatusOK, map[string]string{"APIConnect": "DONE", "status": "cancelled"})
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"APIConnect": "DONE", "refund_ref_id": id, "status": "refunded"})
}
