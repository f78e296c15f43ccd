package inbox_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/provider/inbox"
	"storefront/shop/sender"
)

const (
	phone    = "+8801711000000"
	codeText = "4821 is your Acme code. Do not share it."
)

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func TestInbox_Messages(t *testing.T) {
	t.Parallel()
	s := inbox.New(nil, noon)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			if _, err := s.SMS().Send(t.Context(), phone, fmt.Sprint("message ", i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	id, err := s.SMS().Send(t.Context(), phone, strings.Repeat("ক", 5000))
	if err != nil {
		t.Fatal(err)
	}
	messages := s.Messages()
	if len(messages) != 50 {
		t.Fatalf("got %d messages, want 50", len(messages))
	}
	want := inbox.Message{ID: id, At: noon(), To: phone, Text: strings.Repeat("ক", 1600) + "…", Segments: 75}
	if messages[0] != want || id != "log-61" || messages[49].ID != "log-12" {
		t.Errorf("got newest %+v, oldest %s; want newest %+v, oldest log-12", messages[0], messages[49].ID, want)
	}
}

func TestInbox_Logger(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := inbox.New(slog.New(slog.NewTextHandler(&log, nil)), noon)
	if _, err := s.SMS().Send(t.Context(), phone, codeText); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), codeText) || !strings.Contains(log.String(), phone) {
		t.Errorf("got log %s, want the number and the text", log.String())
	}
}

func TestInbox_Page(t *testing.T) {
	t.Parallel()
	s := inbox.New(nil, noon)
	page := s.Page()
	get := func(method, path string, change func(*http.Request)) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, nil)
		r.RemoteAddr, r.Host = "127.0.0.1:5000", "127.0.0.1:8081"
		if change != nil {
			change(r)
		}
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		return w
	}
	if w := get(http.MethodGet, "/", nil); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "No messages yet.") {
		t.Errorf("without messages: got %d %s", w.Code, w.Body)
	}
	for _, text := range []string{"first", `<script>alert("4821")</script> & কোড`} {
		if _, err := s.SMS().Send(t.Context(), phone, text); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Mail().Send(t.Context(), sender.Email{To: "a@example.com", Subject: "Your <code>", Text: "135790"})
	if err != nil {
		t.Fatal(err)
	}
	w := get(http.MethodGet, "/", nil)
	text := w.Body.String()
	if !strings.Contains(text, "E-mail to a@example.com") || !strings.Contains(text, "<h2>Your &lt;code&gt;</h2><p>135790</p>") {
		t.Errorf("got page %s, want the e-mail", text)
	}
	newest := strings.Index(text, `&lt;script&gt;alert(&#34;4821&#34;)&lt;/script&gt; &amp; কোড`)
	if first := strings.Index(text, "<p>first</p>"); newest < 0 || first < newest || strings.Contains(text, "<script") {
		t.Errorf("got page %s", text)
	}
	if w.Header().Get("Cache-Control") != "no-store" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("got headers %v", w.Header())
	}
	if w := get(http.MethodPost, "/", nil); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: got status %d, want 405", w.Code)
	}
	if w := get(http.MethodGet, "/other", nil); w.Code != http.StatusNotFound {
		t.Errorf("other path: got status %d, want 404", w.Code)
	}
	for name, change := range map[string]func(*http.Request){
		"other host": func(r *http.Request) { r.Host = "tunnel.example" },
		"forwarded":  func(r *http.Request) { r.Header.Set("X-Forwarded-For", "203.0.113.7") },
	} {
		if w := get(http.MethodGet, "/", change); w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "4821") {
			t.Errorf("%s: got status %d, want 403", name, w.Code)
		}
	}
}
