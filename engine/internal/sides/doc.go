// Package sides has what rewards of the same blocks say of arms, and arranges which arms share blocks (docs/theory/blocks.md).
package sides
