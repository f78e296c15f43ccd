package cmd

import (
	"fmt"
	"strings"
)

// tone is the colour of a cell on a terminal, as an escape code. Colours only repeat the text.
type tone string

const (
	tonePlain tone = ""
	toneGood  tone = "\x1b[32m" // green: done, or in order
	toneOpen  tone = "\x1b[33m" // yellow: action needed
	toneBad   tone = "\x1b[31m" // red: failed
	toneFaint tone = "\x1b[2m"  // closed, and the names of columns
	toneEnd        = "\x1b[0m"
)

// coloured is a cell of [row] with a tone.
type coloured struct {
	text string
	tone tone
}

func (c coloured) String() string { return c.text }

// colour returns a status as a cell with its tone, the same in all commands: of orders, payments,
// shipments, products, messages, webhooks and checks.
func colour[T any](status T) coloured {
	text := fmt.Sprint(status)
	word, _, _ := strings.Cut(text, ";")
	return coloured{text, toneOf(word)}
}

func toneOf(status string) tone {
	switch status {
	case "completed", "delivered", "paid", "succeeded", "done", "active", "ok", "sent", "applied", "healthy", "yes":
		return toneGood
	case "pending", "pending_payment", "refund_due", "needs_review", "requested", "unclear", "on_hold", "partially_delivered",
		"returning", "LOW_STOCK", "BACKORDER", "draft", "warning", "unknown", "stored", "unmatched", "active, not published":
		return toneOpen
	case "failed", "delivery_failed", "OUT_OF_STOCK", "failing", "malformed", "suspended", "damaged":
		return toneBad
	case "cancelled", "expired", "returned", "refunded", "partially_refunded", "archived", "disabled", "ended", "used up", "ignored", "none":
		return toneFaint
	}
	return tonePlain
}

// paint returns a cell's text with the escape codes of its tone.
func (s screen) paint(c cell) string {
	if !s.coloured || c.tone == tonePlain {
		return c.text
	}
	return string(c.tone) + c.text + toneEnd
}
