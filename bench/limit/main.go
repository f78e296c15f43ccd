// Command limit is a minimal Go server: httprouter and responses in memory. It shows the limit of
// net/http on this machine.
//
//	limit ADDRESS PATH=BYTES…
//
// With LIMIT_CERTIFICATE and LIMIT_KEY, which name files, it serves TLS and HTTP/2.
package main

import (
	"bytes"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/julienschmidt/httprouter"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: limit ADDRESS PATH=BYTES…")
	}
	router := httprouter.New()
	for _, arg := range os.Args[2:] {
		path, size, _ := strings.Cut(arg, "=")
		n, err := strconv.Atoi(size)
		if err != nil {
			log.Fatal(err)
		}
		body := fmt.Appendf(nil, `{"bytes":"%s"}`, bytes.Repeat([]byte("a"), max(0, n-len(`{"bytes":""}`))))
		handle := func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
			h := w.Header()
			h.Set("Content-Type", "application/json")
			h.Set("Content-Length", strconv.Itoa(len(body)))
			_, _ = w.Write(body) // the client may be gone
		}
		router.GET(path, handle)
		router.POST(path, handle)
	}
	if file := os.Getenv("LIMIT_CERTIFICATE"); file != "" {
		log.Fatal(http.ListenAndServeTLS(os.Args[1], file, os.Getenv("LIMIT_KEY"), router))
	}
	log.Fatal(http.ListenAndServe(os.Args[1], router))
}
