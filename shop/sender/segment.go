package sender

import (
	"strings"
	"unicode/utf16"
)

// The alphabet of GSM 03.38. A character of gsm7Extra needs two places.
const (
	gsm7Basic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡" +
		"ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	gsm7Extra = "\f^{}\\[~]|€"
)

// FitsGSM7 reports whether text can be sent in the GSM 7-bit alphabet. A single other character,
// such as a Bangla letter, requires UCS-2 for the whole text, with less than half the capacity.
func FitsGSM7(text string) bool {
	for _, r := range text {
		if gsm7Places(r) == 0 {
			return false
		}
	}
	return true
}

// Plain returns text in its form for SMS. Characters with an equivalent in GSM-7, such as the taka
// sign, are replaced if the whole text then fits in GSM-7. Otherwise a single one would double the
// cost of the message.
func Plain(text string) string {
	if plain := plainSMS.Replace(text); FitsGSM7(plain) {
		return plain
	}
	return text
}

var plainSMS = strings.NewReplacer("৳", "Tk ", "₹", "Rs ",
	"–", "-", "—", "-", "‘", "'", "’", "'", "“", `"`, "”", `"`, "…", "...", "\u00a0", " ", "×", "x")

// Segments returns the number of billed messages of a text in its form for SMS: 160 places of GSM-7
// or 70 of UCS-2 in a single message, 153 or 67 in each of several. The empty text has one.
func Segments(text string) int {
	text = Plain(text)
	single, each, places := 160, 153, gsm7Places
	if !FitsGSM7(text) {
		single, each, places = 70, 67, utf16.RuneLen
	}
	total, segments, used := 0, 1, 0
	for _, r := range text {
		n := max(places(r), 1) // invalid UTF-8 is sent as a replacement character
		total += n
		if used += n; used > each { // a character is never split
			segments, used = segments+1, n
		}
	}
	if total <= single {
		return 1
	}
	return segments
}

// gsm7Places returns the places that r needs in GSM-7; 0 means that GSM-7 does not contain it.
func gsm7Places(r rune) int {
	switch {
	case strings.ContainsRune(gsm7Basic, r):
		return 1
	case strings.ContainsRune(gsm7Extra, r):
		return 2
	}
	return 0
}
