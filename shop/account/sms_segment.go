package account

import (
	"strings"
	"unicode/utf16"
)

// The alphabet of GSM 03.38. An extended character takes two places.
const (
	gsm7Basic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	gsm7Extra = "\f^{}\\[~]|€"
)

// SMSFitsGSM7 reports whether text can be sent in the networks' own alphabet. One character that
// cannot, such as any Bangla letter, makes the whole text UCS-2, with less than half the room.
func SMSFitsGSM7(text string) bool {
	for _, r := range text {
		if gsm7Places(r) == 0 {
			return false
		}
	}
	return true
}

// SMSSegments gives how many messages the networks carry text in, which is what gateways bill:
// 160 places of GSM-7 or 70 of UCS-2 in one, 153 or 67 in each of several. The empty text has one.
func SMSSegments(text string) int {
	single, each, places := 160, 153, gsm7Places
	if !SMSFitsGSM7(text) {
		single, each, places = 70, 67, utf16.RuneLen
	}
	total, segments, used := 0, 1, 0
	for _, r := range text {
		n := max(places(r), 1) // what is not valid UTF-8 is sent as one replacement character
		total += n
		if used += n; used > each { // a character is never cut in two
			segments, used = segments+1, n
		}
	}
	if total <= single {
		return 1
	}
	return segments
}

// gsm7Places gives how many places r takes in GSM-7; 0: it is not there.
func gsm7Places(r rune) int {
	switch {
	case strings.ContainsRune(gsm7Basic, r):
		return 1
	case strings.ContainsRune(gsm7Extra, r):
		return 2
	}
	return 0
}
