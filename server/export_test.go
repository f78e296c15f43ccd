package server

import "time"

// EventComment is the interval of comments in a stream without events.
const EventComment = eventComment

// SetEventComment sets the interval of comments in the streams that open from now on.
func (s *Server) SetEventComment(d time.Duration) { s.streams.comment = d }
