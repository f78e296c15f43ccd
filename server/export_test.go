package server

import "time"

// EventComment is the interval of comments in a stream without events.
const EventComment = eventComment

// SetEventComment sets the interval of comments in the streams that open from now on.
func (s *Server) SetEventComment(d time.Duration) { s.streams.comment = d }

// LoseResponses makes the server lose the responses to requests with an idempotency key, as if the
// process ended after the commit of the change.
func (s *Server) LoseResponses() { s.saveTime = 0 }
