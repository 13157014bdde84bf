//go:build !js

package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// MaxCell is the largest size of a cell, in bytes.
const MaxCell = 1 << 20

var errPage = errors.New("a page is damaged")

// checkPages checks the pages of a column before the Parquet library reads them. A page states its size and number of
// values in its header and again in its content. The library trusts these numbers and allocates memory accordingly.
// checkPages returns an error if the pages need more memory than the file's rows justify.
func checkPages(a *allowance.Allowance, data []byte, chunk *format.ColumnMetaData, optional bool, rows int64) (err error) {
	defer try.Caught(&err)
	from := chunk.DataPageOffset
	if chunk.DictionaryPageOffset != 0 {
		from = chunk.DictionaryPageOffset
	}
	size := chunk.TotalCompressedSize
	if from < 0 || size < 0 || from > int64(len(data)) || size > int64(len(data))-from {
		return errPage
	}
	rest, values := data[from:from+size], int64(0)
	for len(rest) > 0 && values < rows {
		p := page{codec: chunk.Codec, optional: optional}
		rest = try.Of(unmarshal(rest, &p.head))
		n := int(p.head.CompressedPageSize)
		if n < 0 || n > len(rest) {
			return errPage
		}
		p.content, rest = rest[:n], rest[n:]
		try.To(p.check(a))
		if !p.head.DictionaryPageHeader.Valid {
			values += p.values
		}
	}
	if values != rows {
		return fmt.Errorf("a column has %d values for %d rows", values, rows)
	}
	return nil
}

// page is a page of a column.
type page struct {
	head     format.PageHeader
	codec    format.CompressionCodec
	optional bool
	content  []byte // as in the file, possibly compressed
	values   int64  // number of values, including nulls
}

// check returns an error if the page is damaged or would need too much memory.
func (p *page) check(a *allowance.Allowance) error {
	var encoding format.Encoding
	packed, levels := p.codec != format.Uncompressed, 0
	switch v1, v2, dictionary := &p.head.DataPageHeader, &p.head.DataPageHeaderV2, &p.head.DictionaryPageHeader; {
	case v1.Valid:
		p.values, encoding = int64(v1.V.NumValues), v1.V.Encoding
	case v2.Valid:
		p.values, encoding = int64(v2.V.NumValues), v2.V.Encoding
		levels = int(v2.V.DefinitionLevelsByteLength)
		if levels < 0 || levels > len(p.content) || v2.V.RepetitionLevelsByteLength != 0 {
			return errPage
		}
		packed = packed && (!v2.V.IsCompressed.Valid || v2.V.IsCompressed.V)
	case dictionary.Valid:
		p.values, encoding = int64(dictionary.V.NumValues), format.Plain
	default:
		return errPage
	}
	size := int64(p.head.UncompressedPageSize)
	switch {
	case p.values < 0 || size < 0:
		return errPage
	case size > (p.values+1)*(MaxCell+16):
		return errCell
	}
	head, body := p.content[:levels], p.content[levels:]
	if packed {
		if err := a.Ask(2 * size); err != nil { // one copy here and one in the library
			return err
		}
		var err error
		if body, err = unpacked(a, p.codec, body, size-int64(levels)); err != nil {
			return err
		}
	}
	if p.optional && p.head.DataPageHeader.Valid {
		if len(body) < 4 {
			return errPage
		}
		n := binary.LittleEndian.Uint32(body)
		if uint64(n) > uint64(len(body)-4) {
			return errPage
		}
		head, body = body[4:4+n], body[4+n:]
	}
	if p.optional && !p.runs(head, 1) {
		return errPage
	}
	return p.checkValues(a, encoding, body)
}

// checkValues returns an error if the encoded values claim to be more than the page has.
func (p *page) checkValues(a *allowance.Allowance, encoding format.Encoding, body []byte) error {
	switch encoding {
	case format.PlainDictionary, format.RLEDictionary: //lint:ignore SA1019 older files have the former
		if len(body) > 0 && (body[0] > 32 || !p.runs(body[1:], int(body[0]))) {
			return errPage
		}
	case format.RLE: // booleans, preceded by their length
		if len(body) >= 4 && !p.runs(body[4:], 1) {
			return errPage
		}
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray:
		count := body
		for range 2 { // skips the block size and the number of parts per block
			var err error
			if _, count, err = varint(count); err != nil {
				return errPage
			}
		}
		if n, _, err := varint(count); err != nil || n > uint64(p.values) {
			return errPage
		}
		if encoding == format.DeltaByteArray {
			return p.checkPrefixes(a, body)
		}
	}
	return nil
}

// checkPrefixes returns an error if prefix-encoded texts would need too much memory when decoded.
func (p *page) checkPrefixes(a *allowance.Allowance, body []byte) error {
	prefixes, err := new(delta.BinaryPackedEncoding).DecodeInt32(nil, body)
	if err != nil {
		return err
	}
	made := int64(len(body))
	for _, n := range prefixes {
		if n < 0 {
			return errPage
		}
		if n > MaxCell {
			return errCell
		}
		made += int64(n)
	}
	return a.Ask(made)
}

// runs reports whether the number of run-length encoded values fits the page. The last group may contain padding.
func (p *page) runs(b []byte, width int) bool {
	left := uint64(p.values) + 1<<10
	for len(b) > 0 {
		head, rest, err := varint(b)
		if err != nil {
			return false
		}
		count, size := head>>1, uint64(width+7)/8
		if count == 0 {
			b = rest
			continue
		}
		if head&1 == 1 { // bit-packed groups of eight values
			if count > left/8 {
				return false
			}
			size = count * uint64(width)
			count *= 8
		}
		if count > left || size > uint64(len(rest)) {
			return false
		}
		left -= count
		b = rest[size:]
	}
	return true
}

// unpacked returns the decompressed content of a page, at most size bytes. A codec whose data do not state their size is
// read as a stream, so that the output can be limited.
func unpacked(a *allowance.Allowance, codec format.CompressionCodec, packed []byte, size int64) ([]byte, error) {
	if size < 0 {
		return nil, errPage
	}
	var r io.Reader
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(packed); err != nil || int64(n) > size {
			return nil, errPage
		}
		return snappy.Decode(nil, packed)
	case format.Gzip:
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, errPage
		}
		r = z
	case format.Brotli:
		r = brotli.NewReader(bytes.NewReader(packed))
	case format.Zstd:
		window := uint64(1) << bits.Len64(uint64(max(size, 1<<23))) // the usual window of writers, and not much larger than the page
		z, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return nil, errPage
		}
		defer z.Close()
		r = z
	default: // also LZ4_RAW: the library returns wrong values (https://github.com/parquet-go/parquet-go/issues/608)
		return nil, fmt.Errorf("the column is compressed with %v, which cannot be read. Save it with snappy or zstd", codec)
	}
	var out bytes.Buffer
	for {
		if err := a.Ask(0); err != nil { // checks for an interrupt within a page
			return nil, err
		}
		n, err := io.CopyN(&out, r, min(1<<20, size+1-int64(out.Len())))
		switch {
		case int64(out.Len()) > size:
			return nil, errPage
		case errors.Is(err, io.EOF):
			return slices.Clip(out.Bytes()), nil
		case err != nil || n == 0:
			return nil, errPage
		}
	}
}
