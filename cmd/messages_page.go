package cmd

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// serveMessagesPage serves the page of messages and stores its URL in info. It has a loopback
// listener of its own, so that a tunnel to the API does not expose the codes in the messages.
func serveMessagesPage(page http.Handler, listen string, log *slog.Logger, info *serverInfo) (stop func(), err error) {
	listener, err := listenNear(listen, "SMS preview", log)
	if err != nil {
		return nil, fmt.Errorf("listen for messages page: %w", err)
	}
	s := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(listener) // returns after Close
	}()
	info.SMSPage = localURL(listener.Addr())
	return func() {
		_ = s.Close()
		<-done
	}, nil
}
