// Package sides estimates gaps between arms from rewards in blocks, and arranges which arms share blocks
// (docs/theory/blocks.md).
package sides
