//go:build !js

package parquet

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// textOf returns a function that appends a value of a column (not null) as text. Decimals are exact, dates have the form
// 2006-01-02, and other values have the form that other programs write to CSV.
func textOf(e *format.SchemaElement) func(b []byte, v parquet.Value) []byte {
	if isText(e) {
		return text
	}
	unsigned := false
	switch t := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		return decimal(int(t.Scale))
	case *format.DateType:
		return date
	case *format.TimestampType:
		if t.Unit.Value != nil {
			return timestamp(t.Unit.Value.Duration(), t.IsAdjustedToUTC)
		}
	case *format.TimeType:
		if t.Unit.Value != nil {
			return clock(t.Unit.Value.Duration())
		}
	case *format.UUIDType:
		return uuid
	case *format.Float16Type:
		return func(b []byte, v parquet.Value) []byte { return strconv.AppendFloat(b, half(v), 'g', -1, 32) }
	case *format.IntType:
		unsigned = !t.IsSigned
	}
	if e.ConvertedType.Valid && e.LogicalType.Value == nil { // older files have only the converted type
		switch e.ConvertedType.V {
		case deprecated.Decimal:
			return decimal(int(e.Scale.V))
		case deprecated.Date:
			return date
		case deprecated.TimestampMillis:
			return timestamp(time.Millisecond, true)
		case deprecated.TimestampMicros:
			return timestamp(time.Microsecond, true)
		case deprecated.TimeMillis:
			return clock(time.Millisecond)
		case deprecated.TimeMicros:
			return clock(time.Microsecond)
		case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
			unsigned = true
		}
	}
	return func(b []byte, v parquet.Value) []byte { return plain(b, v, unsigned) }
}

// plain appends a value in the format of its physical type.
func plain(b []byte, v parquet.Value, unsigned bool) []byte {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(b, v.Boolean())
	case parquet.Int32:
		if unsigned {
			return strconv.AppendUint(b, uint64(v.Uint32()), 10)
		}
		return strconv.AppendInt(b, int64(v.Int32()), 10)
	case parquet.Int64:
		if unsigned {
			return strconv.AppendUint(b, v.Uint64(), 10)
		}
		return strconv.AppendInt(b, v.Int64(), 10)
	case parquet.Int96: // a time by Spark or Impala: nanoseconds since midnight, then the Julian day
		x := v.Int96()
		const epoch = 2440588 // the Julian day of 1 January 1970
		return appendTime(b, time.Unix((int64(x[2])-epoch)*86400, int64(uint64(x[1])<<32|uint64(x[0]))).UTC())
	case parquet.Float:
		return number(b, float64(v.Float()), 32)
	case parquet.Double:
		return number(b, v.Double(), 64)
	}
	return append(b, v.ByteArray()...)
}

// number appends a number, in exponent form only if it is very small or large.
func number(b []byte, v float64, bits int) []byte {
	if a := math.Abs(v); a == 0 || a >= 1e-4 && a < 1e15 {
		return strconv.AppendFloat(b, v, 'f', -1, bits)
	}
	return strconv.AppendFloat(b, v, 'g', -1, bits)
}

// isText reports whether the values of a column are texts.
func isText(e *format.SchemaElement) bool {
	switch e.LogicalType.Value.(type) {
	case *format.StringType, *format.EnumType:
		return true
	}
	return e.LogicalType.Value == nil && e.ConvertedType.Valid &&
		(e.ConvertedType.V == deprecated.UTF8 || e.ConvertedType.V == deprecated.Enum)
}

// text appends a text. An empty text becomes "", because an empty cell means null.
func text(b []byte, v parquet.Value) []byte {
	if len(v.ByteArray()) == 0 {
		return append(b, `""`...)
	}
	return append(b, v.ByteArray()...)
}

// whole returns the unscaled integer of a decimal.
func whole(v parquet.Value) *big.Int {
	switch v.Kind() {
	case parquet.Int32:
		return big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		return big.NewInt(v.Int64())
	}
	b := v.ByteArray() // two's complement, big endian
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return x
}

// mostDigits limits the scale of a decimal, and its size in bytes. Decimals of 256 bits have 76 digits.
const mostDigits = 1000

// decimal returns a function that appends a decimal with scale digits after its point.
func decimal(scale int) func(b []byte, v parquet.Value) []byte {
	return func(b []byte, v parquet.Value) []byte {
		if scale < 0 || scale > mostDigits || v.Kind() >= parquet.ByteArray && len(v.ByteArray()) > mostDigits {
			return plain(b, v, false)
		}
		x := whole(v)
		if x.Sign() < 0 {
			b = append(b, '-')
		}
		digits := x.Abs(x).String()
		for len(digits) <= scale {
			digits = "0" + digits
		}
		b = append(b, digits[:len(digits)-scale]...)
		if scale > 0 {
			b = append(append(b, '.'), digits[len(digits)-scale:]...)
		}
		return b
	}
}

func date(b []byte, v parquet.Value) []byte {
	return time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(b, time.DateOnly)
}

// appendTime appends a time with as many decimals of the second as necessary.
func appendTime(b []byte, t time.Time) []byte {
	return t.AppendFormat(b, "2006-01-02 15:04:05.999999999")
}

// timestamp returns a function that appends a time, which is given in units since 1970. Only times in UTC get a Z.
func timestamp(unit time.Duration, utc bool) func(b []byte, v parquet.Value) []byte {
	each := int64(time.Second / unit)
	return func(b []byte, v parquet.Value) []byte {
		x := v.Int64()
		b = appendTime(b, time.Unix(x/each, x%each*int64(unit)).UTC())
		if utc {
			b = append(b, 'Z')
		}
		return b
	}
}

// clock returns a function that appends a time of day, which is given in units since midnight.
func clock(unit time.Duration) func(b []byte, v parquet.Value) []byte {
	return func(b []byte, v parquet.Value) []byte {
		x := int64(v.Int32())
		if v.Kind() == parquet.Int64 {
			x = v.Int64()
		}
		return time.Unix(0, 0).UTC().Add(time.Duration(x)*unit).AppendFormat(b, "15:04:05.999999999")
	}
}

func uuid(b []byte, v parquet.Value) []byte {
	x := v.ByteArray()
	if len(x) != 16 {
		return append(b, x...)
	}
	for i, n := range []int{4, 2, 2, 2, 6} {
		if i > 0 {
			b = append(b, '-')
		}
		b, x = hex.AppendEncode(b, x[:n]), x[n:]
	}
	return b
}

// half converts a 16-bit floating-point number. It returns NaN if the value does not have 2 bytes.
func half(v parquet.Value) float64 {
	x := v.ByteArray()
	if len(x) != 2 {
		return math.NaN()
	}
	bits := binary.LittleEndian.Uint16(x)
	sign, exponent, fraction := 1-2*float64(bits>>15), int(bits>>10&31), float64(bits&1023)/1024
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -14)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1+fraction, exponent-15)
}
