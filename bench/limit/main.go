// Command limit is the least that a Go server can do: httprouter writes prepared bytes.
//
//	limit ADDRESS PATH=BYTES…
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
		answer := func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
			h := w.Header()
			h.Set("Content-Type", "application/json")
			h.Set("Content-Length", strconv.Itoa(len(body)))
			_, _ = w.Write(body) // a client that has gone does not read it
		}
		router.GET(path, answer)
		router.POST(path, answer)
	}
	log.Fatal(http.ListenAndServe(os.Args[1], router))
}
