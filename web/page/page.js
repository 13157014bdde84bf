"use strict";
// The page: shows a form for a dropped table, sends requests to the program in its worker, and shows the replies.
const $ = id => document.getElementById(id);
const files = new Map(); // by name: {data} and, for Parquet, its {csv} or {fault}; a new worker receives them again
let table = "", wide = false, reply = {}, bound = "";

// Engine runs the program in a worker. A stop ends the worker and starts another one.
const program = WebAssembly.compileStreaming(fetch("cope.wasm"));
const engine = {
	worker: null, unpacking: null, ready: null, waiting: new Map(), number: 0,
	start() {
		this.worker = new Worker("worker.js");
		this.ready = new Promise(resolve => { this.worker.onmessage = e => e.data.ready ? resolve() : this.receive(e.data); });
		const worker = this.worker;
		program.then(module => worker.postMessage({module}), e => say("The program could not be loaded: " + e.message + ". Reload the page."));
		for (const [file, data] of files) this.put(file, data);
		return this.ready;
	},
	put(file, content) {
		const worker = this.worker;
		this.ready.then(() => worker.postMessage({file, ...content}));
	},
	// unpack converts a Parquet file to CSV in a worker of its own.
	unpack(data) {
		const id = ++this.number, worker = this.unpacking = new Worker("parquet.js");
		const done = reply => { worker.terminate(); this.resolve(id, reply); };
		worker.onmessage = e => done(e.data);
		worker.onerror = e => done({fault: "it cannot be unpacked: " + e.message});
		worker.postMessage(data.buffer);
		return this.reply(id);
	},
	reply(id) { return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject})); },
	resolve(id, reply) {
		const asked = this.waiting.get(id);
		this.waiting.delete(id);
		asked?.resolve(reply);
	},
	call(request) {
		const worker = this.worker, id = ++this.number;
		this.ready.then(() => worker.postMessage({id, request: JSON.stringify(request)}));
		return this.reply(id);
	},
	receive(message) {
		if (message.event) return happened(JSON.parse(message.event));
		if (message.ended) {
			this.stop("The program ended, perhaps because memory ran out. Try a smaller table or fewer runs.");
			return;
		}
		this.resolve(message.id, {...JSON.parse(message.reply), data: message.data});
	},
	stop(why) {
		this.worker.terminate();
		this.unpacking?.terminate();
		const waiting = [...this.waiting.values()];
		this.waiting.clear();
		this.start();
		for (const w of waiting) w.reject(new Error(why));
	},
};

// sketch computes rough answers in a second worker, while engine computes the full ones. Its events are not shown.
const sketch = {...engine, waiting: new Map(), receive(message) {
	if (message.ended) this.stop("");
	else if (message.id) engine.receive.call(this, message);
}};

function halt(why) {
	engine.stop(why);
	if (sketch.waiting.size) sketch.stop(why);
}

function addFile(name, content) {
	files.set(name, content);
	for (const e of [engine, sketch]) e.put(name, content);
}

function say(text) { $("status").textContent = text; }

function happened(e) {
	switch (e.kind) {
	case "progress":
		$("progress").value = e.share || 0;
		$("step").textContent = e.text || "";
		break;
	case "display":
		$("output").insertAdjacentHTML("beforeend", e.html);
		break;
	case "bound":
		bound = e.text;
		break;
	case "notice":
		say(e.text);
	}
}

// work sends a request or calls a function, with progress and the button Stop, and returns the reply; null after an error, which is shown.
async function work(request, what) {
	if (!$("working").hidden) halt("Stopped for the new request."); // the earlier one is out of date
	$("working").hidden = false;
	$("progress").removeAttribute("value");
	$("step").textContent = what;
	say("");
	const begun = performance.now(), turn = ++work.turn;
	try {
		const r = await (request instanceof Function ? request() : engine.call(request));
		if (turn !== work.turn) return null;
		if (r.error) {
			$("output").insertAdjacentHTML("beforeend", r.error);
			$("output").lastElementChild.scrollIntoView({block: "nearest"});
			say("There is a mistake; see below.");
			return null;
		}
		say(`Done in ${((performance.now() - begun) / 1000).toFixed(2)} s.`);
		return r;
	} catch (e) {
		if (turn === work.turn) say(e.message);
		return null;
	} finally {
		if (turn === work.turn) $("working").hidden = true;
	}
}
work.turn = 0;

function clear() {
	$("output").replaceChildren();
	$("after").hidden = $("copied").hidden = $("results").hidden = true;
}

async function take(name, data) {
	table = name;
	document.title = name.replace(/\.[^.]*$/, ""); // of the tab, and above a printed answer
	clear();
	$("form").hidden = true;
	let content = {data};
	if (beginsWith(data, new TextEncoder().encode("PAR1"))) {
		const unpacked = await work(() => engine.unpack(data), "Unpacking");
		if (!unpacked) return false;
		content = {data, ...unpacked};
	}
	addFile(name, content);
	const r = await work({do: "describe", table}, "Reading the table");
	if (!r) return false;
	wide = !!r.wide;
	showColumns(r);
	return true;
}

// The roles of a column, with one sentence each.
const roles = [["", "left out"], ["task", "task: gets its own recommendation"], ["arm", "option: you can choose it"], ["reward", "measured value"],
	["blocks", "block: measured together"], ["crossed", "block across tasks"], ["cost", "cost of a measurement"], ["task_features", "describes the task"],
	["sd", "standard deviation of a mean"], ["count", "number behind a mean"], ["successes", "successes"], ["trials", "trials"], ["weights", "weight of the task"]];

function element(name, text, properties) { return Object.assign(document.createElement(name), {textContent: text}, properties); }

function showColumns(r) {
	$("columns").caption.textContent = `${table}: ${r.rows} rows` + (wide ? ", one for each option" : "");
	const body = $("columns").tBodies[0];
	body.replaceChildren();
	for (const c of r.columns) {
		const row = body.insertRow(), head = element("th", c.name, {scope: "row"}), role = document.createElement("select");
		row.append(head);
		row.insertCell().textContent = c.looks;
		role.dataset.column = c.name;
		role.setAttribute("aria-label", "Role of " + c.name);
		for (const [value, text] of roles) role.append(new Option(text, value, value === c.role, value === c.role));
		role.disabled = wide;
		const cell = row.insertCell();
		cell.append(role);
		if (c.why) cell.append(" ", element("small", c.why));
	}
	$("doubt").textContent = r.doubt || "";
	$("doubt").hidden = !r.doubt;
	fill(r.call);
	$("form").hidden = false;
}

// fill sets the controls to a call.
function fill(call) {
	const columns = call.columns || call.Columns || {};
	$("goal").value = call.goal || call.Goal || "";
	for (const name of ["bounded", "next", "epsilon"]) $(name).value = call[name] || call[name[0].toUpperCase() + name.slice(1)] || "";
	for (const name of ["failed", "where", "candidates"]) $(name).value = (columns[name] || [])[0] || "";
	for (const select of document.querySelectorAll("#columns select")) {
		const role = Object.keys(columns).find(k => roles.some(r => r[0] === k) && columns[k].includes(select.dataset.column));
		select.value = role || "";
	}
	names = columns.text || [];
}
let names = []; // columns whose cells are names although they look like numbers

// numberOf reads a number with a decimal point or comma. If it has both, the last one is the decimal mark; a mark that occurs twice groups digits.
function numberOf(text) {
	const plain = text.replace(/[\s']/g, ""), mark = plain.includes(",") && plain.lastIndexOf(",") > plain.lastIndexOf(".") ? "," : ".";
	const whole = plain.replaceAll(mark === "," ? "." : ",", ""), parts = whole.split(mark);
	return Number(parts.length > 2 ? parts.join("") : parts.join("."));
}

const number = id => numberOf($(id).value);

// limits reads "0,100" and, with decimal commas, "0,5; 99,5" or "0,5 to 99,5".
function limits() {
	const text = $("bounded").value.trim(), parts = text.split(/\s*;\s*|\s+to\s+|\s+/);
	return parts.length === 2 ? parts.map(part => numberOf(part.replace(/,$/, ""))).join() : text;
}

function call() {
	const columns = {};
	for (const select of document.querySelectorAll("#columns select"))
		if (select.value) (columns[select.value] ||= []).push(select.dataset.column);
	for (const name of ["failed", "where", "candidates"]) if ($(name).value.trim()) columns[name] = [$(name).value.trim()];
	const text = names.filter(name => columns.arm?.includes(name) || columns.task?.includes(name));
	if (text.length) columns.text = text;
	return {columns: wide ? {} : columns, goal: $("goal").value, bounded: limits(), epsilon: number("epsilon"),
		next: Math.round(number("next")), overall: $("overall").checked, retry: $("retry").checked};
}

async function answer() {
	clear();
	const request = {do: "best", table, call: call()}, full = work(request, "Fitting");
	answerRoughly(request, work.turn);
	const r = await full;
	if (sketch.waiting.size) sketch.stop("");
	if (!r) return;
	reply = r;
	$("output").innerHTML = r.html;
	$("after").hidden = false;
	document.querySelector("[data-save=xlsx]").disabled = !r.next;
}

// answerRoughly shows a rough answer until the full answer of the same turn replaces it. Then its worker is replaced, which frees its memory.
async function answerRoughly(request, turn) {
	if (sketch.waiting.size) sketch.stop("");
	const r = await sketch.call({...request, rough: true}).catch(() => null);
	if (!r) return;
	sketch.stop("");
	if (!r.html || turn !== work.turn || $("working").hidden) return;
	$("output").innerHTML = `<p class="note" id="rough">This first answer is rough. It uses one model and part of the data. The full answer will replace it.</p>` + r.html;
	say("A rough answer is below. The full answer will replace it.");
}

// The examples and their calls.
const examples = {
	pilot: {columns: {task: ["Halide"], arm: ["Base", "Ligand"], reward: ["Yield (%)"]}, bounded: "0,100", epsilon: 5, next: 6},
	barley: {columns: {task: ["site"], arm: ["variety"], reward: ["yield"], blocks: ["year"]}, next: 12},
	tuning: {columns: {task: ["model"], arm: ["lr", "dropout"], reward: ["val_loss"], failed: ["status != 'ok'"]}, goal: "min", next: 6},
};

async function example(name) {
	const response = await fetch(`examples/${name}.csv`);
	if (!await take(name + ".csv", new Uint8Array(await response.arrayBuffer()))) return;
	fill(examples[name]);
	$("doubt").hidden = true; // it is about other columns
	await answer();
}

// warm computes an example in the second worker. Browsers compile functions for speed after these have run for a while, and share them with
// the other worker: the first answer takes a third of the time.
async function warm() {
	sketch.put("pilot.csv", {data: new Uint8Array(await (await fetch("examples/pilot.csv")).arrayBuffer())});
	await sketch.call({do: "best", table: "pilot.csv", call: examples.pilot});
	sketch.stop("");
}

async function dropped(file) {
	if (/\.jsonl$/i.test(file?.name)) await openRecord(new Uint8Array(await file.arrayBuffer()));
	else if (file) await take(file.name, new Uint8Array(await file.arrayBuffer())) && await answer();
}

$("file").onchange = e => dropped(e.target.files[0]);
document.ondragover = e => { e.preventDefault(); $("drop").classList.add("over"); };
document.ondragleave = () => $("drop").classList.remove("over");
document.ondrop = e => {
	e.preventDefault();
	$("drop").classList.remove("over");
	dropped(e.dataTransfer.files[0]);
};
$("paste").oninput = async e => {
	const text = e.target.value;
	if (text.trim().includes("\n")) await take("pasted.tsv", new TextEncoder().encode(text.trimEnd() + "\n")) && await answer();
};
for (const b of document.querySelectorAll("[data-example]")) b.onclick = () => example(b.dataset.example);
$("form").onsubmit = e => { e.preventDefault(); answer(); };
$("stop").onclick = () => halt("Stopped.");

function download(data, name) {
	const link = element("a", "", {href: URL.createObjectURL(new Blob([data])), download: name});
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
	say("Saved " + name);
}

for (const b of document.querySelectorAll("[data-save]")) b.onclick = async () => {
	const r = await work({do: "save", format: b.dataset.save}, "Writing");
	if (!r) return;
	download(r.data, r.name);
};
for (const b of document.querySelectorAll("[data-copy]")) b.onclick = async () => {
	$("copied").textContent = reply[b.dataset.copy];
	$("copied").hidden = false;
	try {
		await navigator.clipboard.writeText(reply[b.dataset.copy]);
		say("Copied.");
	} catch {
		say("The browser does not allow copying; select the text below.");
	}
};

// The tabs, with arrow keys.
const tabs = [...document.querySelectorAll("[role=tab]")];
function choose(tab) {
	for (const t of tabs) {
		t.setAttribute("aria-selected", t === tab);
		t.tabIndex = t === tab ? 0 : -1;
		$(t.getAttribute("aria-controls")).hidden = t !== tab;
	}
	clear();
	say("");
}
tabs.forEach((tab, k) => {
	tab.onclick = () => choose(tab);
	tab.onkeydown = e => {
		if (e.key !== "ArrowRight" && e.key !== "ArrowLeft") return;
		const other = tabs[(k + 1) % tabs.length];
		choose(other);
		other.focus();
	};
});

// The editor of scripts. Positions of the program count characters; those of a text field count UTF-16 units.
const script = $("script"), under = $("under");
const units = at => [...script.value].slice(0, at).join("").length;
const characters = at => [...script.value.slice(0, at)].length;
let checking = 0;

script.oninput = () => {
	hideWords();
	underline([]);
	clearTimeout(checking);
	checking = setTimeout(check, 300);
};

script.onscroll = () => { [under.scrollLeft, under.scrollTop] = [script.scrollLeft, script.scrollTop]; };

// underline puts the text of the script under the text field, with mistakes underlined at their place and explained at the end of their line.
function underline(mistakes) {
	const text = [...script.value, " "], nodes = [];
	let at = 0;
	const plain = to => { nodes.push(text.slice(at, to).join("")); at = to; };
	mistakes = [...mistakes].sort((a, b) => a.from - b.from);
	for (const [k, m] of mistakes.entries()) {
		if (m.from >= at) { // else it overlaps the one before
			plain(m.from);
			const to = Math.min(Math.max(m.to, m.from + 1), text.length);
			nodes.push(element("mark", text.slice(at, to).join("")));
			at = to;
		}
		if (mistakes[k + 1]?.line === m.line) continue;
		const end = text.indexOf("\n", at);
		plain(end < 0 ? text.length : end);
		nodes.push(element("i", "", {title: m.message}));
	}
	plain(text.length);
	under.replaceChildren(...nodes);
	script.onscroll();
}

async function check() {
	if (!$("working").hidden) return;
	const text = script.value, r = await engine.call({do: "check", text}).catch(() => null);
	if (!r || text !== script.value) return;
	$("marks").replaceChildren(...(r.errors || []).map(m => {
		const b = element("button", `line ${m.line}: ${m.message}`, {type: "button"});
		b.onclick = () => { script.focus(); script.setSelectionRange(units(m.from), units(m.to)); };
		const li = document.createElement("li");
		li.append(b);
		return li;
	}));
	underline(r.errors || []);
	script.setAttribute("aria-invalid", !!r.errors?.length);
}

async function complete() {
	const r = await engine.call({do: "complete", text: script.value, cursor: characters(script.selectionStart)}).catch(() => null);
	if (!r?.words?.length) return hideWords();
	const insert = word => {
		script.setRangeText(word.text, units(r.from || 0), units(r.to || 0), "end");
		hideWords();
		script.focus();
		script.oninput();
	};
	if (r.words.length === 1) return insert(r.words[0]);
	$("words").replaceChildren(...r.words.slice(0, 60).map((word, k) => {
		const li = element("li", word.text, {id: "word" + k});
		li.setAttribute("role", "option");
		if (word.info) li.append(element("small", word.info));
		li.onclick = () => insert(word);
		return li;
	}));
	const lines = script.value.slice(0, script.selectionStart).split("\n"); // below the cursor
	$("words").style.left = `min(${lines.at(-1).length}ch - ${script.scrollLeft}px, 100% - 16rem)`;
	$("words").style.top = `calc(${lines.length} * 1lh - ${script.scrollTop}px + .6em)`;
	$("words").hidden = false;
	mark(0);
}

function mark(k) {
	const all = [...$("words").children];
	complete.at = (k + all.length) % all.length;
	all.forEach((li, i) => li.setAttribute("aria-selected", i === complete.at));
	all[complete.at].scrollIntoView({block: "nearest"});
	script.setAttribute("aria-activedescendant", "word" + complete.at);
}

function hideWords() {
	$("words").hidden = true;
	script.removeAttribute("aria-activedescendant");
}

async function run() {
	clear();
	hideWords();
	await work({do: "run", text: script.value, before: bound}, "Running");
	check();
}

script.onkeydown = e => {
	if ((e.ctrlKey || e.metaKey) && e.key === "Enter") { e.preventDefault(); run(); }
	else if (e.ctrlKey && e.key === " ") { e.preventDefault(); complete(); }
	else if (!$("words").hidden && ["ArrowDown", "ArrowUp", "Enter", "Escape"].includes(e.key)) {
		e.preventDefault();
		if (e.key === "Escape") hideWords();
		else if (e.key === "Enter") $("words").children[complete.at].onclick();
		else mark(complete.at + (e.key === "ArrowDown" ? 1 : -1));
	}
};
$("run").onclick = run;
$("paper").onclick = () => {
	script.value = `// Figure 1 of the paper with fewer runs: samples of each algorithm, by the gap
r = fc(paper(case=1, gap=0.1), delta=0.005, algorithm="CoKernelFC", xi=1e-9, runs=5, seed=1)
panels = sweep(r, case=[1, 2, 3], gap=[0.1, 0.2, 0.4, 0.8],
    algorithm=["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA"])
plot(panels, x="gap", y="samples", panel="case")
`;
	script.oninput();
	run();
};

engine.start();
sketch.start();
if ("serviceWorker" in navigator) navigator.serviceWorker.register("sw.js").catch(() => {});
const asked = new URLSearchParams(location.search).get("example");
if (examples[asked]) example(asked);
else warm().catch(() => {}); // a request ends it
