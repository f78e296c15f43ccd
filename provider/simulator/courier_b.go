package simulator

import (
	"net/http"
	"slices"
	"strings"
)

func (s *Simulator) routeCourierB() {
	s.handle("POST /courier_b/create_order", s.withKeys(s.bookCourierB))
	s.handle("GET /courier_b/status_by_cid/{id}", s.withKeys(func(w http.ResponseWriter, r *http.Request) {
		s.writeStatusCourierB(w, byConsignment(r.PathValue("id")), false)
	}))
	s.handle("GET /courier_b/status_with_return_status_by_cid/{id}", s.withKeys(func(w http.ResponseWriter, r *http.Request) {
		s.writeStatusCourierB(w, byConsignment(r.PathValue("id")), true)
	}))
	s.handle("GET /courier_b/status_by_invoice/{id}", s.withKeys(func(w http.ResponseWriter, r *http.Request) {
		s.writeStatusCourierB(w, byRef(r.PathValue("id")), false)
	}))
	s.handle("GET /courier_b/trackings_by_invoice/{id}", s.withKeys(func(w http.ResponseWriter, r *http.Request) {
		tracking := []any{}
		if found, ok := s.depotB.find(byRef(r.PathValue("id"))); ok {
			tracking = append(tracking, map[string]any{"consignment_id": found.consignmentID, "text": "Received."})
		}
		writeJSON(w, http.StatusOK, map[string]any{"status": 200, "tracking": tracking})
	}))
	s.handle("GET /courier_b/get_balance", s.withKeys(func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"status": 200, "current_balance": 12_450})
	}))
	s.handle("GET /courier_b/payments", s.withKeys(func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"status": 1, "alertclass": "success", "message": "Fetched successfully.", "payments": []any{
			map[string]any{
				"payment_id": "SFC-88213", "amount": 12_450, "method": "bank", "due_bills": 0, "paid_bills": 3200, "charges": 124, "total": 12_450,
				"status_label": "Paid", "created_at": "2026-09-18 11:04:22", "ready_at": "2026-09-18 12:00:00", "paid_at": "2026-09-19 10:31:07",
			},
		}})
	}))
	s.handle("GET /courier_b/fraud_check/score/{phone}", s.withKeys(func(w http.ResponseWriter, r *http.Request) {
		if s.isOn(FindFails) {
			hangUp()
		}
		writeJSON(w, http.StatusOK, scoreCourierB(r.PathValue("phone")))
	}))
	s.handle("GET /courier_b/police_stations", s.withKeys(func(w http.ResponseWriter, _ *http.Request) {
		if s.isOn(FindFails) {
			hangUp()
		}
		writeJSON(w, http.StatusOK, map[string]any{"status": 200, "data": []any{
			map[string]any{"id": 17, "name": "Dhanmondi", "district": map[string]any{"id": 1, "name": "Dhaka"}},
			map[string]any{"id": 18, "name": "Mirpur", "district": map[string]any{"id": 1, "name": "Dhaka"}},
			map[string]any{"id": 61, "name": "Kotwali", "district": map[string]any{"id": 1, "name": "Dhaka"}},
			map[string]any{"id": 204, "name": "Kotwali", "district": map[string]any{"id": 2, "name": "Chattogram"}},
			map[string]any{"id": 205, "name": "Double Mooring", "district": map[string]any{"id": 2, "name": "Chattogram"}},
		}})
	}))
}

// scoreCourierB is the record of a phone number: bad if it ends with 9, unknown if it ends with 0,
// otherwise good.
func scoreCourierB(phone string) map[string]any {
	record := map[string]any{
		"status": 200, "phone": phone, "score": nil, "level": nil, "reasons": []any{}, "scoring_disabled": true, "doubtful_reports": false,
		"total_reports": 0, "delivery_ratio": 97, "cancellation_ratio": 2, "return_ratio": 1, "volume_band": "high", "volume_range": "25+",
		"fraud_categories": []any{},
	}
	switch {
	case strings.HasSuffix(phone, "9"):
		record["delivery_ratio"], record["cancellation_ratio"], record["return_ratio"] = 41.5, 50, 8.5
		record["volume_band"], record["volume_range"], record["total_reports"] = "medium", "6-20", 2
	case strings.HasSuffix(phone, "0"):
		record["delivery_ratio"], record["cancellation_ratio"], record["return_ratio"] = nil, nil, nil
		record["volume_band"], record["volume_range"] = "none", "0"
	}
	return record
}

// withKeys rejects requests with keys that are empty or "wrong".
func (s *Simulator) withKeys(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, header := range []string{"Api-Key", "Secret-Key"} {
			if value := r.Header.Get(header); value == "" || value == "wrong" {
				writeJSON(w, http.StatusUnauthorized, map[string]any{"status": 401, "message": "Unauthorized", "attempts_left": 9})
				return
			}
		}
		h(w, r)
	}
}

// bookCourierB refuses an invoice that is already booked with HTTP status 200, as the courier does.
func (s *Simulator) bookCourierB(w http.ResponseWriter, r *http.Request) {
	p := readBody(r)
	errors := map[string][]string{}
	for _, field := range []string{"invoice", "recipient_name", "recipient_phone", "recipient_address", "cod_amount"} {
		if p[field] == "" {
			errors[field] = []string{"The " + field + " field is required."}
		}
	}
	if _, exists := s.depotB.find(byRef(p["invoice"])); exists {
		errors["invoice"] = []string{"The invoice has already been taken."}
	}
	if len(errors) > 0 {
		writeJSON(w, http.StatusOK, map[string]any{"status": 400, "errors": errors})
		return
	}
	if s.isOn(BookFails) {
		hangUp()
	}
	booked := s.depotB.book(p["invoice"], "in_review")
	if s.isOn(BookLost) {
		hangUp()
	}
	writeJSON(w, http.StatusOK, map[string]any{"status": 200, "message": "Consignment has been created successfully.", "consignment": map[string]any{
		"consignment_id": booked.consignmentID, "invoice": booked.ref, "tracking_code": booked.trackingCode, "status": booked.status,
	}})
}

// statusCourierB returns the statuses in courier_b's look-ups after an event: "" if the event does
// not change them. Only one of the look-ups has the status of the way back.
func statusCourierB(event string) (status, returnStatus string) {
	if slices.Contains([]string{"tracking_update", "consignment_update", "return_list_accepted", "user_update"}, event) {
		return "", ""
	}
	if status, _, returning := strings.Cut(event, "_return_"); returning {
		return status, event
	}
	return event, ""
}

// writeStatusCourierB writes the status of the newest shipment that matches.
func (s *Simulator) writeStatusCourierB(w http.ResponseWriter, matches func(*shipment) bool, withReturn bool) {
	if s.isOn(FindFails) {
		hangUp()
	}
	found, ok := s.depotB.find(matches)
	if !ok {
		writeJSON(w, http.StatusOK, map[string]any{"status": 404, "message": "Not found"})
		return
	}
	answer := map[string]any{"status": 200, "delivery_status": found.status}
	if withReturn && found.returnStatus != "" {
		answer["return_status"] = found.returnStatus
	}
	writeJSON(w, http.StatusOK, answer)
}
