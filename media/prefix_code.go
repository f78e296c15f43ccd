package media

import "bytes"

// prefixCode is a canonical prefix code of a lossless WebP.
type prefixCode struct {
	counts  [maxCodeLength + 1]int // of symbols by the length of their code
	symbols [literalCodes + lengthCodes + 1<<maxCacheBits]uint16
	single  bool // the first symbol needs no bits
}

// set makes c the code in which each symbol has a code of the given length, 0 for none.
func (c *prefixCode) set(lengths []uint8) error {
	c.counts = [maxCodeLength + 1]int{}
	for _, n := range lengths {
		c.counts[n]++
	}
	used := len(lengths) - c.counts[0]
	c.counts[0] = 0
	c.single = used == 1
	free := 1 // codes left after the lengths so far
	var next [maxCodeLength + 2]int
	for n := 1; n <= maxCodeLength; n++ {
		if free = 2*free - c.counts[n]; free < 0 {
			return errPrefixCode
		}
		next[n+1] = next[n] + c.counts[n]
	}
	if used == 0 || free != 0 && !c.single {
		return errPrefixCode
	}
	for symbol, n := range lengths {
		if n > 0 {
			c.symbols[next[n]] = uint16(symbol)
			next[n]++
		}
	}
	return nil
}

// symbol returns the next symbol in the code of the given number.
func (l *lossless) symbol(number int) (int, error) { return l.next(&l.codes[number]) }

func (l *lossless) next(c *prefixCode) (int, error) {
	if c.single {
		return int(c.symbols[0]), nil
	}
	window := l.window()
	code, first, index := 0, 0, 0
	for n := 1; n <= maxCodeLength; n++ {
		code |= int(window & 1)
		window >>= 1
		count := c.counts[n]
		if code-count < first {
			if l.bit += n; l.bit > 8*len(l.data) {
				return 0, errShortStream
			}
			return int(c.symbols[index+code-first]), nil
		}
		index += count
		first = (first + count) << 1
		code <<= 1
	}
	return 0, errPrefixCode
}

// readCode reads a code of an alphabet into c.
func (l *lossless) readCode(c *prefixCode, alphabet int) error {
	simple, err := l.read(1)
	if err != nil {
		return err
	}
	if err := l.allocate(codeMemory); err != nil {
		return err
	}
	if simple == 1 {
		return l.readSimpleCode(c, alphabet)
	}
	if err := l.allocate(symbolMemory * int64(alphabet)); err != nil {
		return err
	}
	if err := l.readCodeLengths(c, alphabet); err != nil {
		return err
	}
	if err := c.set(l.lengths[:alphabet]); err != nil {
		return err
	}
	return l.allocate(nodesMemory * int64(alphabet-bytes.Count(l.lengths[:alphabet], []byte{0})))
}

// readSimpleCode reads a code of one or two symbols.
func (l *lossless) readSimpleCode(c *prefixCode, alphabet int) error {
	form, err := l.read(2)
	if err != nil {
		return err
	}
	two, width := form&1 == 1, 1
	if form&2 != 0 {
		width = 8
	}
	*c = prefixCode{single: !two}
	symbol, err := l.read(width)
	if err != nil {
		return err
	}
	second := 0
	if two {
		c.counts[1] = 2
		if second, err = l.read(8); err != nil {
			return err
		}
	}
	if symbol >= alphabet || second >= alphabet {
		return errPrefixCode
	}
	c.symbols[0], c.symbols[1] = uint16(symbol), uint16(second)
	return nil
}

// codeLengthOrder is the order in which the lengths of the codes of code lengths are stored.
var codeLengthOrder = [19]uint8{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// readCodeLengths reads the lengths of the codes of an alphabet into l.lengths. It uses c for the
// code of the lengths.
func (l *lossless) readCodeLengths(c *prefixCode, alphabet int) error {
	if err := l.readLengthCode(c); err != nil {
		return err
	}
	most, err := l.readMostLengths(alphabet)
	if err != nil {
		return err
	}
	lengths := l.lengths[:alphabet]
	clear(lengths)
	for i, previous := 0, uint8(8); i < alphabet && most > 0; most-- {
		symbol, err := l.next(c)
		if err != nil {
			return err
		}
		if symbol <= maxCodeLength {
			if lengths[i] = uint8(symbol); symbol != 0 {
				previous = uint8(symbol)
			}
			i++
			continue
		}
		repeat, err := l.read([...]int{2, 3, 7}[symbol-16])
		if err != nil {
			return err
		}
		repeat += [...]int{3, 3, 11}[symbol-16]
		if i+repeat > alphabet {
			return errPrefixCode
		}
		for range repeat {
			if symbol == 16 {
				lengths[i] = previous
			}
			i++
		}
	}
	return nil
}

// readLengthCode reads into c the code in which the lengths of another one are written.
func (l *lossless) readLengthCode(c *prefixCode) error {
	n, err := l.read(4)
	if err != nil {
		return err
	}
	if n += 4; n > len(codeLengthOrder) {
		return errPrefixCode
	}
	var outer [len(codeLengthOrder)]uint8
	for _, symbol := range codeLengthOrder[:n] {
		length, err := l.read(3)
		if err != nil {
			return err
		}
		outer[symbol] = uint8(length)
	}
	return c.set(outer[:])
}

// readMostLengths returns the maximum number of symbols for the code lengths of an alphabet.
func (l *lossless) readMostLengths(alphabet int) (int, error) {
	limited, err := l.read(1)
	if err != nil {
		return alphabet, err
	}
	if limited == 0 {
		return alphabet, nil
	}
	n, err := l.read(3)
	if err != nil {
		return 0, err
	}
	most, err := l.read(2 + 2*n)
	if most += 2; err == nil && most > alphabet {
		err = errPrefixCode
	}
	return most, err
}
