package cmd

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"
)

// smsPageListen is the address of the page of text messages, unless another program uses it.
const smsPageListen = "127.0.0.1:8081"

// serveSMSPage serves the page of text messages and stores its URL in info. It has a loopback
// listener of its own, so that a tunnel to the API does not expose the codes in the messages.
func serveSMSPage(page http.Handler, info *serverInfo) (stop func(), err error) {
	listener, err := net.Listen("tcp", smsPageListen)
	if errors.Is(err, syscall.EADDRINUSE) {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("listen for SMS page: %w", err)
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
