package server

import (
	"bytes"
	"net/http/httptest"
	"testing"
	"time"
)

// extending records the number of bytes at which its write deadline was extended.
type extending struct {
	*httptest.ResponseRecorder
	at []int
}

func (w *extending) SetWriteDeadline(at time.Time) error {
	if left := time.Until(at); left > 0 && left <= writeTimeout {
		w.at = append(w.at, w.Body.Len())
	}
	return nil
}

func TestExchangeWrite_ExtendsDeadline(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("0123456789"), 20_000)
	for name, part := range map[string]int{"at once": len(body), "in parts": 30_000} {
		w := &extending{ResponseRecorder: httptest.NewRecorder()}
		x := &exchange{ResponseWriter: w}
		for sent := 0; sent < len(body); {
			n, err := x.Write(body[sent:min(sent+part, len(body))])
			if err != nil {
				t.Fatal(err)
			}
			sent += n
		}
		if got, want := w.at, []int{writeChunk, 2 * writeChunk, 3 * writeChunk}; len(got) != 3 || got[0] != want[0] ||
			got[1] != want[1] || got[2] != want[2] {
			t.Errorf("%s: got extensions at %v bytes, want %v", name, got, want)
		}
		if !bytes.Equal(w.Body.Bytes(), body) || x.bytes != int64(len(body)) {
			t.Errorf("%s: got %d bytes, want the whole body", name, w.Body.Len())
		}
	}
}
