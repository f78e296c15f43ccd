package simulator

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

func (s *Simulator) routeGatewayB() {
	const checkout = "/gateway_b/v1.2.0-beta/tokenized/checkout"
	s.handle("POST "+checkout+"/token/grant", s.grantB)
	s.handle("POST "+checkout+"/token/refresh", s.grantB)
	s.handle("POST "+checkout+"/create", s.withToken(s.createB))
	s.handle("POST "+checkout+"/execute", s.withToken(s.executeB))
	s.handle("POST "+checkout+"/payment/status", s.withToken(s.queryB))
	s.handle("POST /gateway_b/v2/tokenized-checkout/refund/payment/transaction", s.withToken(s.refundB))
	s.handle("POST /gateway_b/v2/tokenized-checkout/refund/payment/status", s.withToken(s.refundStatusB))
	s.handle("GET /gateway_b/pay/{id}", s.showPage)
	s.handle("POST /gateway_b/pay/{id}", s.submitPage)
}

func (s *Simulator) grantB(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("username") == "" || strings.HasPrefix(r.Header.Get("password"), "wrong") {
		writeJSON(w, http.StatusOK, map[string]string{"statusCode": "2079", "statusMessage": "Invalid app token"})
		return
	}
	token := newID("token")
	s.mu.Lock()
	s.tokens[token] = true
	s.mu.Unlock()
	writeJSON(w, http.StatusOK, map[string]any{
		"statusCode": "0000", "statusMessage": "Successful", "id_token": token, "token_type": "Bearer",
		"expires_in": 3600, "refresh_token": newID("refresh"),
	})
}

// withToken rejects requests without a valid token as the provider's API gateway does. Otherwise it
// calls next with the fields of the body.
func (s *Simulator) withToken(next func(w http.ResponseWriter, r *http.Request, fields map[string]string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		valid := s.tokens[r.Header.Get("Authorization")]
		s.mu.Unlock()
		if !valid || r.Header.Get("X-App-Key") == "" {
			writeJSON(w, http.StatusUnauthorized, map[string]string{"message": "Unauthorized"})
			return
		}
		var fields map[string]string
		if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
			writeJSON(w, http.StatusBadRequest, map[string]string{"message": "Invalid request body"})
			return
		}
		next(w, r, fields)
	}
}

func (s *Simulator) createB(w http.ResponseWriter, r *http.Request, fields map[string]string) {
	p := &payment{
		gateway: "gateway_b", ref: fields["merchantInvoiceNumber"], id: newID("TR0011"), amount: fields["amount"], currency: fields["currency"],
		invoice: fields["payerReference"], signature: newID("")[:10], status: "Initiated", returnURLs: map[Result]string{},
	}
	switch {
	case s.isOn(StartRefused):
		writeJSON(w, http.StatusOK, map[string]string{"statusCode": "2001", "statusMessage": "Invalid App Key " + r.Header.Get("X-App-Key")})
		return
	case s.isOn(StartBusy):
		writeJSON(w, http.StatusOK, map[string]string{"statusCode": "9999", "statusMessage": "System Error."})
		return
	}
	for result, status := range map[Result]string{Pays: "success", Fails: "failure", Cancels: "cancel"} {
		p.returnURLs[result] = withQuery(fields["callbackURL"], url.Values{
			"paymentID": {p.id}, "status": {status}, "signature": {p.signature}, "version": {"v1.2.0-beta"}, "product": {"tokenized-checkout"},
		})
	}
	s.add(p)
	if s.isOn(StartFails) {
		hangUp()
	}
	writeJSON(w, http.StatusOK, map[string]string{
		"statusCode": "0000", "statusMessage": "Successful", "paymentID": p.id, "bkashURL": "http://" + r.Host + "/gateway_b/pay/" + p.id,
		"callbackURL": fields["callbackURL"], "successCallbackURL": p.returnURLs[Pays], "failureCallbackURL": p.returnURLs[Fails],
		"cancelledCallbackURL": p.returnURLs[Cancels], "amount": p.amount, "currency": p.currency, "intent": "sale",
		"transactionStatus": p.status, "merchantInvoiceNumber": p.ref,
	})
}

// withQuery adds parameters to the query of a URL.
func withQuery(address string, params url.Values) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	query := u.Query()
	for name, values := range params {
		query[name] = values
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// finishB performs the buyer's action at gateway_b. Approving a payment moves no money yet.
func (s *Simulator) finishB(id string, result Result) (Return, error) {
	p, _ := s.change(id, func(p *payment) {
		switch {
		case p.status == "Completed":
		case result == Pays:
			p.approved = true
		case result == Cancels:
			p.status = "Cancelled"
		default:
			p.status = "Failed"
		}
	})
	return Return{Method: http.MethodGet, URL: p.returnURLs[result]}, nil
}

func (s *Simulator) executeB(w http.ResponseWriter, r *http.Request, fields map[string]string) {
	code, message := "0000", "Successful"
	p, ok := s.change(fields["paymentID"], func(p *payment) {
		switch {
		case p.status == "Completed":
			code, message = "2062", "The payment has already been completed"
		case p.status != "Initiated":
			code, message = "2056", "Invalid Payment State"
		case !p.approved:
			code, message = "2060", "Execute Payment Prerequisite has not been met"
		default:
			p.status = "Completed"
			s.capture(p)
		}
	})
	if !ok {
		code, message = "2002", "Invalid Payment ID"
	}
	if s.isOn(ExecuteLost) {
		hangUp()
	}
	if s.isOn(ExecuteLate) {
		stall(r)
	}
	if code != "0000" {
		writeJSON(w, http.StatusOK, map[string]string{"statusCode": code, "statusMessage": message})
		return
	}
	response := p.facts()
	response["merchantInvoiceNumber"] = p.ref
	writeJSON(w, http.StatusOK, response)
}

func (s *Simulator) queryB(w http.ResponseWriter, _ *http.Request, fields map[string]string) {
	p, ok := s.find(fields["paymentID"])
	switch {
	case s.isOn(ValidationDown):
		http.Error(w, "down", http.StatusServiceUnavailable)
	case !ok:
		writeJSON(w, http.StatusOK, map[string]string{"statusCode": "2033", "statusMessage": "Transaction not found"})
	default:
		response := p.facts()
		response["merchantInvoice"] = p.ref
		writeJSON(w, http.StatusOK, response)
	}
}

// facts returns the payment's fields in responses of gateway_b.
func (p *payment) facts() map[string]string {
	facts := map[string]string{
		"statusCode": "0000", "statusMessage": "Successful", "paymentID": p.id, "transactionStatus": p.status,
		"amount": p.amount, "currency": p.currency, "intent": "sale", "customerMsisdn": "01711000000",
	}
	if p.status == "Completed" {
		facts["trxID"], facts["amount"], facts["currency"] = p.transactionID, p.capturedAmount, p.capturedCurrency
	}
	return facts
}

func (s *Simulator) refundB(w http.ResponseWriter, _ *http.Request, fields map[string]string) {
	if s.isOn(RefundRefused) {
		writeJSON(w, http.StatusBadRequest, map[string]string{
			"internalCode": "insufficient_balance", "externalCode": "2023", "errorMessageEn": "Insufficient Balance",
		})
		return
	}
	var made refund
	done := false
	p, ok := s.change(fields["paymentId"], func(p *payment) {
		if p.status == "Completed" && p.transactionID == fields["trxId"] {
			made, done = p.addRefund("", fields["refundAmount"])
		}
	})
	if s.isOn(RefundLost) {
		hangUp()
	}
	if !ok || !done {
		writeJSON(w, http.StatusBadRequest, map[string]string{
			"internalCode": "invalid_refund_amount", "externalCode": "2072", "errorMessageEn": "Invalid refund amount",
		})
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{
		"originalTrxId": p.transactionID, "refundTrxId": made.id, "refundTransactionStatus": "Completed",
		"refundAmount": fields["refundAmount"], "currency": p.currency,
	})
}

func (s *Simulator) refundStatusB(w http.ResponseWriter, _ *http.Request, fields map[string]string) {
	refunds := []map[string]string{}
	p, _ := s.find(fields["paymentId"])
	for _, r := range p.refunds {
		refunds = append(refunds, map[string]string{
			"refundTrxId": r.id, "refundTransactionStatus": "Completed", "refundAmount": taka.Decimal(r.amount),
		})
	}
	writeJSON(w, http.StatusOK, map[string]any{"refundTransactions": refunds})
}
