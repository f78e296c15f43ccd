package plugin

// Mode selects an environment of the providers: live or sandbox.
type Mode string

// The modes.
const (
	Live    Mode = "live"
	Sandbox Mode = "sandbox"
)
