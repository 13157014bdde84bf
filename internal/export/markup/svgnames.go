package markup

var (
	// svgTags are the elements of a drawing that draw or are drawn with.
	svgTags = Names("svg g path rect circle ellipse line polyline polygon text tspan textPath defs clipPath mask linearGradient " +
		"radialGradient stop " +
		"pattern marker symbol use title desc image filter feBlend feColorMatrix feComponentTransfer feComposite " +
		"feConvolveMatrix feFlood feFuncA " +
		"feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset feTile")

	// svgAttributes are their attributes, besides href and what is said to those who
	// cannot see. Those that are CSS properties too are read as CSS.
	svgAttributes = Names("alignment-baseline amplitude azimuth baseFrequency baseline-shift bias class clip clip-path " +
		"clip-rule clipPathUnits color color-interpolation " +
		"color-interpolation-filters color-rendering cursor cx cy d diffuseConstant direction display divisor dominant-baseline dx " +
		"dy edgeMode elevation exponent fill " +
		"fill-opacity fill-rule filter filterUnits flood-color flood-opacity font font-family font-size font-size-adjust " +
		"font-stretch font-style font-variant font-weight " +
		"fr fx fy gradientTransform gradientUnits height id image-rendering in in2 intercept isolation k1 k2 k3 k4 kernelMatrix " +
		"kernelUnitLength kerning lang lengthAdjust " +
		"letter-spacing lighting-color limitingConeAngle line-height marker-end marker-mid marker-start markerHeight markerUnits " +
		"markerWidth mask mask-type maskContentUnits " +
		"maskUnits method mix-blend-mode mode numOctaves offset opacity operator order orient overflow paint-order pathLength " +
		"patternContentUnits patternTransform " +
		"patternUnits pointer-events points pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits r " +
		"radius refX refY result role rotate rx ry scale " +
		"seed shape-rendering side slope spacing specularConstant specularExponent spreadMethod startOffset stdDeviation " +
		"stitchTiles stop-color stop-opacity stroke " +
		"stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width style " +
		"surfaceScale tableValues targetX targetY " +
		"text-anchor text-decoration text-rendering textLength transform transform-origin type unicode-bidi values vector-effect " +
		"version viewBox visibility white-space " +
		"width word-spacing writing-mode x x1 x2 xChannelSelector y y1 y2 yChannelSelector z")
)
