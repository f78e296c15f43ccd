package cmd

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"
)

// smsPageListen is where the page of text messages is, unless another program is there.
const smsPageListen = "127.0.0.1:8081"

// serveSMSPage shows text messages on a loopback listener of its own, so that a tunnel to the API
// does not publish the codes in them, and notes its address in started.
func serveSMSPage(page http.Handler, started *serving) (stop func(), err error) {
	listener, err := net.Listen("tcp", smsPageListen)
	if errors.Is(err, syscall.EADDRINUSE) {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("listen for the page of text messages: %w", err)
	}
	s := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(listener) // ends by Close
	}()
	started.SMSPage = localURL(listener.Addr())
	return func() {
		_ = s.Close()
		<-done
	}, nil
}
