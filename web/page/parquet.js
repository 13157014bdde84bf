"use strict";
// Converts a Parquet file to CSV, as internal/base/parquet does for the command. It runs in a worker of its own, which Stop ends. The reader of
// the command is too large for the page.
importScripts("vendor/hyparquet.js");

const mostCell = 1 << 20; // size of a cell, as in the command
const mostCells = 1 << 24; // cells in a file

const utf8 = bytes => new TextDecoder().decode(bytes);
const pad = (x, length) => String(x).padStart(length, "0");

// clock writes a time of day, given in nanoseconds.
function clock(nanos) {
	const s = nanos / 1000000000n, rest = pad(nanos % 1000000000n, 9).replace(/0+$/, "");
	return [s / 3600n, s / 60n % 60n, s % 60n].map(x => pad(x, 2)).join(":") + (rest && "." + rest);
}

const day = days => new Date(days * 86400000).toISOString().slice(0, 10);

// time writes a time, given in nanoseconds since 1970.
function time(nanos) {
	const size = 86400000000000n, within = ((nanos % size) + size) % size;
	return day(Number((nanos - within) / size)) + " " + clock(within);
}

// single writes a number of 32 bits with as few digits as it needs.
function single(x) {
	for (let digits = 6; digits < 9; digits++) if (Math.fround(+x.toPrecision(digits)) === x) return number(+x.toPrecision(digits));
	return number(x);
}

// number writes a number as the command does, in exponent form only if it is very small or large.
function number(x) {
	if (!Number.isFinite(x)) return isNaN(x) ? "NaN" : x > 0 ? "+Inf" : "-Inf";
	const size = Math.abs(x);
	return size === 0 || size >= 1e-4 && size < 1e15 ? String(x) : x.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

// Times are returned in nanoseconds since 1970; textOf writes them.
const parsers = {
	timestampFromMilliseconds: x => x * 1000000n, timestampFromMicroseconds: x => x * 1000n, timestampFromNanoseconds: x => x,
	dateFromDays: x => x, jsonFromBytes: utf8,
};

const per = {MILLIS: 1000000n, MICROS: 1000n, NANOS: 1n}; // nanoseconds in a unit

// textOf returns a function that writes a value of a column, which is not null, as text. It corrects the column's type where hyparquet looks
// for the older form only.
function textOf(e) {
	const l = e.logical_type?.type, c = e.converted_type;
	if (isText(e)) return x => (x instanceof Uint8Array ? utf8(x) : String(x)) || '""';
	if (l === "DECIMAL" || c === "DECIMAL") {
		e.converted_type = "DECIMAL";
		e.scale = Math.min(Math.max(e.logical_type?.scale ?? e.scale ?? 0, 0), 100);
		return x => x.toFixed(e.scale);
	}
	if (l === "DATE" || c === "DATE") return day;
	if (l === "TIMESTAMP" || c?.startsWith("TIMESTAMP_")) return x => time(x) + (e.logical_type?.isAdjustedToUTC ?? true ? "Z" : "");
	if (e.type === "INT96") return time;
	if (l === "TIME" || c?.startsWith("TIME_")) return x => clock(BigInt(x) * per[e.logical_type?.unit ?? c.slice(5)]);
	if (l === "FLOAT16" || e.type === "DOUBLE") return number;
	if (e.type === "FLOAT") return single;
	return x => x instanceof Uint8Array ? utf8(x) : String(x);
}

function isText(e) {
	return ["STRING", "ENUM"].includes(e.logical_type?.type) || !e.logical_type && ["UTF8", "ENUM"].includes(e.converted_type);
}

// columnsOf returns the columns of a table. Lists and groups are nested.
function columnsOf(schema) {
	const columns = [];
	const after = (at, depth) => { // index after the subtree at an index
		if (at >= schema.length || depth > 250) throw new Error("a column is nested too deeply");
		let next = at + 1;
		for (let k = 0; k < (schema[at].num_children || 0); k++) next = after(next, depth + 1);
		return next;
	};
	for (let at = 1; at < schema.length; at = after(at, 0)) {
		const e = schema[at];
		columns.push({name: e.name, nested: !!e.num_children || e.repetition_type === "REPEATED", names: isText(e), text: textOf(e)});
	}
	return columns;
}

// checkPages refuses pages that claim more values than their group has rows, before memory is allocated for them.
function checkPages(data, chunk, rows) {
	const first = chunk.dictionary_page_offset, begin = first && first < chunk.data_page_offset ? first : chunk.data_page_offset;
	const view = new DataView(data, Number(begin), Number(chunk.total_compressed_size)), reader = {view, offset: 0};
	for (let values = 0; values < rows && reader.offset < view.byteLength;) {
		const page = hyparquet.parquetHeader(reader), head = page.data_page_header ?? page.data_page_header_v2, claimed = head ?? page.dictionary_page_header;
		if (!(claimed?.num_values >= 0) || claimed.num_values > Math.max(rows, mostCells) || head && (values += head.num_values) > rows ||
			!(page.compressed_page_size >= 0) || !(page.uncompressed_page_size >= 0) ||
			page.uncompressed_page_size > (claimed.num_values + 1) * (mostCell + 16)) throw new Error("a page is damaged");
		reader.offset += page.compressed_page_size;
	}
}

const compressors = {
	GZIP: (input, size) => hyparquet.gunzip(input, new Uint8Array(size)), BROTLI: hyparquet.decompressBrotli, LZ4: hyparquet.decompressLz4,
	LZ4_RAW: hyparquet.decompressLz4Raw, ZSTD: (input, size) => hyparquet.decompressZstd(input, new Uint8Array(size)),
};

const quoted = text => /[,;"\t\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;

async function csv(data) {
	const metadata = hyparquet.parquetMetadata(data, {geoparquet: false}), columns = columnsOf(metadata.schema), flat = columns.filter(c => !c.nested);
	if (!flat.length) throw new Error(columns.length ? `column "${columns[0].name}" holds lists or groups. A table needs one value per cell` : "the file has no columns");
	let rows = 0;
	for (const group of metadata.row_groups) {
		rows += Number(group.num_rows);
		if (!(group.num_rows >= 0) || rows * columns.length > mostCells) throw new Error(`${rows} rows are too many for this page. Use gonb-cope best`);
		for (const {meta_data: chunk} of group.columns)
			if (flat.some(c => c.name === chunk.path_in_schema[0])) checkPages(data, chunk, Number(group.num_rows));
	}
	const texts = flat.filter(c => c.names).map(c => quoted(c.name)), lines = texts.length ? ["text=," + texts.join()] : [];
	lines.push(columns.map(c => quoted(c.name)).join());
	await hyparquet.parquetRead({file: data, metadata, columns: flat.map(c => c.name), compressors, parsers, utf8: false, geoparquet: false, onComplete(all) {
		for (const row of all) {
			let k = 0;
			const line = columns.map(c => {
				const value = c.nested ? null : row[k++], text = c.nested ? "(nested)" : value == null ? "" : c.text(value);
				if (text.length > mostCell) throw new Error(`column "${c.name}": it has a value of more than 1024 kB, which is the limit for a cell; leave the column out`);
				return quoted(text);
			}).join();
			lines.push(line || '""'); // readers would skip an empty line
		}
	}});
	if (lines.length !== rows + 1 + (texts.length ? 1 : 0)) throw new Error("the file ends early");
	return new TextEncoder().encode(lines.join("\n") + "\n");
}

onmessage = async e => {
	try {
		postMessage({csv: await csv(e.data)});
	} catch (fault) {
		postMessage({fault: "not valid Parquet: " + fault.message});
	}
};
