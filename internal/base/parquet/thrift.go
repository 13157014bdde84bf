//go:build !js

package parquet

import (
	"encoding/binary"
	"errors"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// Headers and footer are in Thrift's compact protocol. The library's decoder trusts the sizes of lists and the nesting
// depth, so a few bytes could use all memory. Therefore the functions in this file first check the sizes.

// mostDepth limits the nesting of values. A footer has six levels.
const mostDepth = 20

var errHeader = errors.New("a header is damaged")

// These are the types of the compact protocol that the check distinguishes.
const (
	typeStop   = 0
	typeFalse  = 2
	typeByte   = 3
	typeInt64  = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
)

// unmarshal checks and decodes the structure at the start of b. It returns the bytes after the structure.
func unmarshal(b []byte, into any) (rest []byte, err error) {
	if rest, err = skipStruct(b, 0); err != nil {
		return nil, err
	}
	var p thrift.CompactProtocol
	return rest, thrift.Unmarshal(&p, b[:len(b)-len(rest)], into)
}

// skipStruct returns the bytes after the structure at the start of b.
func skipStruct(b []byte, depth int) (rest []byte, err error) {
	if depth > mostDepth {
		return nil, errHeader
	}
	for {
		if len(b) == 0 {
			return nil, errHeader
		}
		head := b[0]
		b = b[1:]
		if head == typeStop {
			return b, nil
		}
		if head>>4 == 0 { // the field's number follows
			if _, b, err = varint(b); err != nil {
				return nil, err
			}
		}
		if b, err = skipValue(b, head&15, false, depth+1); err != nil {
			return nil, err
		}
	}
}

// skipValue returns the bytes after a value of the given type. A boolean field has no bytes; a boolean in a list has one.
func skipValue(b []byte, kind byte, inList bool, depth int) (rest []byte, err error) {
	size := uint64(0)
	switch {
	case kind == typeStruct:
		return skipStruct(b, depth)
	case kind == typeList || kind == typeSet:
		return skipList(b, depth)
	case kind == typeMap:
		return skipMap(b, depth)
	case kind == typeBinary:
		if size, b, err = varint(b); err != nil {
			return nil, err
		}
	case kind > typeByte && kind <= typeInt64:
		_, b, err = varint(b)
		return b, err
	case kind == typeDouble:
		size = 8
	case kind == typeByte, kind != typeStop && kind <= typeFalse && inList:
		size = 1
	case kind != typeStop && kind <= typeFalse:
	default:
		return nil, errHeader
	}
	if size > uint64(len(b)) {
		return nil, errHeader
	}
	return b[size:], nil
}

// skipList returns the bytes after a list. Each value has at least one byte, which limits the size.
func skipList(b []byte, depth int) (rest []byte, err error) {
	if len(b) == 0 {
		return nil, errHeader
	}
	size, kind := uint64(b[0]>>4), b[0]&15
	b = b[1:]
	if size == 15 {
		if size, b, err = varint(b); err != nil {
			return nil, err
		}
	}
	return skipItems(b, size, depth, kind)
}

func skipMap(b []byte, depth int) (rest []byte, err error) {
	size, b, err := varint(b)
	if err != nil || size == 0 {
		return b, err
	}
	if len(b) == 0 {
		return nil, errHeader
	}
	return skipItems(b[1:], size, depth, b[0]>>4, b[0]&15)
}

func skipItems(b []byte, size uint64, depth int, kinds ...byte) (rest []byte, err error) {
	if size > uint64(len(b)) || depth > mostDepth {
		return nil, errHeader
	}
	for range size {
		for _, kind := range kinds {
			if b, err = skipValue(b, kind, true, depth+1); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

func varint(b []byte) (v uint64, rest []byte, err error) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, errHeader
	}
	return v, b[n:], nil
}
