package media

import "encoding/binary"

// Written by hand: an EXIF library parses many tags of hostile files, and this needs one of
// them.

// orientation is the value of the EXIF tag of that name: how to show the stored rows and columns.
// Values from 5 on exchange width and height.
type orientation uint16

const upright orientation = 1

func (o orientation) swapsSides() bool { return o >= 5 }

// exifPrefix starts the segment of a JPEG that has EXIF.
const exifPrefix = "Exif\x00\x00"

const (
	orientationTag = 0x0112
	shortType      = 3 // a value of 16 bits
)

// exifOrientation returns the orientation in EXIF data, or upright if it has none or is damaged:
// the pixels are valid regardless.
func exifOrientation(data []byte) (o orientation, ok bool) {
	if len(data) < 8 {
		return upright, false
	}
	var order binary.ByteOrder
	switch string(data[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return upright, false
	}
	offset := uint64(order.Uint32(data[4:]))
	if offset+2 > uint64(len(data)) {
		return upright, false
	}
	const entrySize = 12 // tag, type, count, value
	entries := data[offset+2:]
	for range order.Uint16(data[offset:]) {
		if len(entries) < entrySize {
			break
		}
		if order.Uint16(entries) == orientationTag {
			found := orientation(order.Uint16(entries[8:]))
			if order.Uint16(entries[2:]) == shortType && order.Uint32(entries[4:]) == 1 && found >= 1 && found <= 8 {
				return found, true
			}
			break
		}
		entries = entries[entrySize:]
	}
	return upright, false
}
