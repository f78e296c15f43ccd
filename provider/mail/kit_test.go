package mail_test

import (
	"io"
	"net"
	"strconv"
)

func portText(port int) string { return strconv.Itoa(port) }

// copyAll copies until one of the connections closes.
func copyAll(to, from net.Conn) { _, _ = io.Copy(to, from) }
