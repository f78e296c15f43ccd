package telegram_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"storefront/provider"
	"storefront/provider/telegram"
	"storefront/shop/notify"
)

const token = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"

// Messages are plain text to the linked chat, and errors do not contain the token.
func TestBot(t *testing.T) {
	t.Parallel()
	var answer, path string
	var sent map[string]any
	status := 200
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, sent = r.URL.Path, nil
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	bot := telegram.New(provider.ClientConfig{AllowPrivate: true}, server.URL)
	m := notify.Message{
		Title: "New order <1042>", Body: "৳1,250 · Dhaka", URL: "https://shop.example/admin/#/acme/order/X",
		To: notify.Target{Address: "-77", Credential: []byte(token)},
	}
	answer = `{"ok":true,"result":{}}`
	if err := bot.Notify(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if path != "/bot"+token+"/sendMessage" || sent["chat_id"] != float64(-77) || sent["parse_mode"] != nil ||
		sent["text"] != "New order <1042>\n৳1,250 · Dhaka\nhttps://shop.example/admin/#/acme/order/X" {
		t.Errorf("got %s %v", path, sent)
	}
	for _, tt := range []struct {
		code int
		body string
		want notify.Error
	}{
		{403, `{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}`, notify.Error{Gone: true}},
		{400, `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`, notify.Error{Gone: true}},
		{401, `{"ok":false,"error_code":401,"description":"Unauthorized ` + token + `"}`, notify.Error{Refused: true}},
		{429, `{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":7}}`, notify.Error{RetryAfter: 7 * time.Second}},
		{502, `<html>`, notify.Error{}},
	} {
		status, answer = tt.code, tt.body
		err := bot.Notify(t.Context(), m)
		got, ok := errors.AsType[*notify.Error](err)
		if !ok || got.Gone != tt.want.Gone || got.Refused != tt.want.Refused || got.RetryAfter != tt.want.RetryAfter ||
			strings.Contains(err.Error(), token) {
			t.Errorf("%s: got %+v (%v), want %+v", tt.body, got, err, tt.want)
		}
	}
	status, answer = 200, `{"ok":true,"result":[
		{"update_id":1,"message":{"text":"/start ABC","chat":{"id":-5,"type":"group"}}},
		{"update_id":2,"message":{"text":"/start XYZ","chat":{"id":42,"type":"private","first_name":"Rina","username":"rina_k"}}},
		{"update_id":3}]}`
	got, err := bot.Received(t.Context(), token)
	if want := (notify.BotMessage{Chat: "42", Name: "@rina_k", Text: "/start XYZ"}); err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if _, err := bot.Name(t.Context(), "../../etc"); err == nil || path != "/bot"+token+"/getUpdates" {
		t.Errorf("got %v after %s, want a malformed token not sent", err, path)
	}
	server.Close()
	if err := bot.Notify(t.Context(), m); err == nil || strings.Contains(err.Error(), token) {
		t.Errorf("got %v, want an error without the token", err)
	}
}
