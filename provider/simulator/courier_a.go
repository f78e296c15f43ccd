package simulator

import (
	"net/http"
	"strconv"
	"strings"
)

func (s *Simulator) routeCourierA() {
	const api = "/courier_a/aladdin/api/v1"
	s.handle("POST "+api+"/issue-token", s.grantCourierA)
	s.handle("POST "+api+"/orders", s.withAccessToken(s.bookCourierA))
	s.handle("GET "+api+"/orders/{id}/info", s.withAccessToken(s.findCourierA))
	s.handle("GET "+api+"/stores", s.withAccessToken(func(w http.ResponseWriter, _ *http.Request) {
		writeCourierA(w, http.StatusOK, map[string]any{"data": []any{map[string]any{"store_id": DemoStore, "store_name": "Demo", "is_active": 1}}})
	}))
	s.handle("GET "+api+"/countries/1/city-list", s.listPlacesCourierA(func(*http.Request) []any {
		return []any{
			map[string]any{"city_id": 1, "city_name": "Dhaka"}, map[string]any{"city_id": 2, "city_name": "Chittagong"},
			map[string]any{"city_id": 4, "city_name": "Rajshahi"},
		}
	}))
	s.handle("GET "+api+"/cities/{id}/zone-list", s.listPlacesCourierA(func(r *http.Request) []any { return zonesCourierA[r.PathValue("id")] }))
	s.handle("GET "+api+"/zones/{id}/area-list", s.listPlacesCourierA(areasOfZoneCourierA))
	s.handle("POST "+api+"/merchant/price-plan", s.withAccessToken(func(w http.ResponseWriter, _ *http.Request) {
		writeCourierA(w, http.StatusOK, map[string]any{"price": 60, "final_price": 60, "cod_enabled": 1, "cod_percentage": 0.01})
	}))
}

// zonesCourierA and areasCourierA are a part of the courier's places, by the city and by the zone.
// They are not modified.
var (
	zonesCourierA = map[string][]any{
		"1": {
			map[string]any{"zone_id": 298, "zone_name": "60 feet"}, map[string]any{"zone_id": 1070, "zone_name": "Banani"},
			map[string]any{"zone_id": 50, "zone_name": "Dhanmondi"}, map[string]any{"zone_id": 37, "zone_name": "Mirpur 1"},
			map[string]any{"zone_id": 49, "zone_name": "Mirpur 10"}, map[string]any{"zone_id": 62, "zone_name": "Uttara Sector 7"},
		},
		"2": {map[string]any{"zone_id": 150, "zone_name": "Agrabad"}, map[string]any{"zone_id": 151, "zone_name": "Halishahar"}},
		"4": {map[string]any{"zone_id": 210, "zone_name": "Boalia"}},
	}
	areasCourierA = map[string][]any{
		"50": {
			map[string]any{"area_id": 8, "area_name": "Road 3", "home_delivery_available": true, "pickup_available": true},
			map[string]any{"area_id": 9, "area_name": "Road 32", "home_delivery_available": true, "pickup_available": false},
		},
		"49": {map[string]any{"area_id": 37, "area_name": "Block A", "home_delivery_available": true, "pickup_available": true}},
	}
)

// areasOfZoneCourierA returns the areas of a zone, an empty list for most zones, and nil for an
// unknown zone.
func areasOfZoneCourierA(r *http.Request) []any {
	id := r.PathValue("id")
	if areas := areasCourierA[id]; areas != nil {
		return areas
	}
	for _, zones := range zonesCourierA {
		for _, zone := range zones {
			if number := zone.(map[string]any)["zone_id"].(int); strconv.Itoa(number) == id {
				return []any{}
			}
		}
	}
	return nil
}

// listPlacesCourierA returns the handler of a list.
func (s *Simulator) listPlacesCourierA(list func(r *http.Request) []any) http.HandlerFunc {
	return s.withAccessToken(func(w http.ResponseWriter, r *http.Request) {
		if s.isOn(FindFails) {
			hangUp()
		}
		places := list(r)
		if places == nil {
			writeCourierA(w, http.StatusNotFound, nil)
			return
		}
		writeCourierA(w, http.StatusOK, map[string]any{"data": places})
	})
}

// writeCourierA writes data in the envelope of courier_a.
func writeCourierA(w http.ResponseWriter, status int, data any) {
	kind, message := "success", "Done."
	if status >= http.StatusBadRequest {
		kind, message = "error", "Please fix the given errors"
	}
	writeJSON(w, status, map[string]any{"type": kind, "code": status, "message": message, "data": data})
}

// grantCourierA accepts all credentials except empty ones and "wrong".
func (s *Simulator) grantCourierA(w http.ResponseWriter, r *http.Request) {
	p := readBody(r)
	for _, field := range []string{"client_id", "client_secret", "grant_type"} {
		if p[field] == "" || p[field] == "wrong" {
			writeJSON(w, http.StatusUnauthorized, map[string]string{"message": "The user credentials were incorrect."})
			return
		}
	}
	if p["grant_type"] == "password" && (p["username"] == "" || p["password"] == "" || p["password"] == "wrong") {
		writeJSON(w, http.StatusUnauthorized, map[string]string{"message": "The user credentials were incorrect."})
		return
	}
	token := newID("token-")
	s.depotA.mu.Lock()
	if s.depotA.tokens == nil {
		s.depotA.tokens = map[string]bool{}
	}
	s.depotA.tokens[token] = true
	s.depotA.mu.Unlock()
	writeJSON(w, http.StatusOK, map[string]any{"token_type": "Bearer", "expires_in": 432000, "access_token": token, "refresh_token": newID("refresh-")})
}

// RevokeTokens invalidates all access tokens of courier_a, as their expiry after five days would.
func (s *Simulator) RevokeTokens() {
	s.depotA.mu.Lock()
	defer s.depotA.mu.Unlock()
	clear(s.depotA.tokens)
}

func (s *Simulator) withAccessToken(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		s.depotA.mu.Lock()
		valid := s.depotA.tokens[token]
		s.depotA.mu.Unlock()
		if !valid {
			writeCourierA(w, http.StatusUnauthorized, nil)
			return
		}
		h(w, r)
	}
}

func (s *Simulator) bookCourierA(w http.ResponseWriter, r *http.Request) {
	p := readBody(r)
	for _, field := range []string{"store_id", "recipient_name", "recipient_phone", "recipient_address", "item_weight", "amount_to_collect"} {
		if p[field] == "" {
			writeJSON(w, http.StatusUnprocessableEntity, map[string]any{
				"type": "error", "code": 422, "message": "Please fix the given errors",
				"errors": map[string]any{field: []string{"The " + field + " field is required."}},
			})
			return
		}
	}
	if s.isOn(BookFails) {
		hangUp()
	}
	booked := s.depotA.book(p["merchant_order_id"], "Pending")
	if s.isOn(BookLost) {
		hangUp()
	}
	writeCourierA(w, http.StatusOK, map[string]any{
		"consignment_id": booked.consignmentID, "merchant_order_id": booked.ref, "order_status": booked.status, "delivery_fee": 60,
	})
}

// statusCourierA returns the status in courier_a's look-up after an event: "" if the event does not
// change it. Its API has only one status of the way back.
func statusCourierA(event string) string {
	name, isOrder := strings.CutPrefix(event, "order.")
	switch name {
	case "updated":
		return ""
	case "created":
		return "Pending"
	case "paid":
		return "Payment_Invoice"
	case "paid-return", "exchanged":
		return strings.ReplaceAll(strings.TrimSuffix(name, "d"), "-", "_")
	case "returned", "return-id-created", "return-in-transit", "returned-to-merchant":
		return "Return"
	case "at-the-sorting-hub":
		return "At_the_Sorting_HUB"
	}
	if !isOrder {
		return ""
	}
	words := strings.Split(name, "-")
	for i, word := range words {
		if word != "for" && word != "at" {
			words[i] = strings.ToUpper(word[:min(1, len(word))]) + word[min(1, len(word)):]
		}
	}
	return strings.Join(words, "_")
}

func (s *Simulator) findCourierA(w http.ResponseWriter, r *http.Request) {
	if s.isOn(FindFails) {
		hangUp()
	}
	found, ok := s.depotA.find(byConsignment(r.PathValue("id")))
	if !ok {
		writeCourierA(w, http.StatusNotFound, nil)
		return
	}
	writeCourierA(w, http.StatusOK, map[string]any{
		"consignment_id": found.consignmentID, "merchant_order_id": found.ref, "order_status": found.status,
		"updated_at": found.updatedAt.In(dhaka).Format(dhakaTime),
	})
}
