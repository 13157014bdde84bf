"use strict";
// The campaign: lists of measurements, their results, and the record that this browser keeps. The record is a file of gonb-cope
// campaign export --record; it only grows.
const recordFile = "campaign.jsonl"; // its name among the files of the program
let record = null, recordName = "";

// inStore makes a request to the store of this browser.
function inStore(mode, request) {
	return new Promise((resolve, reject) => {
		const opening = indexedDB.open("gonb-cope", 1);
		opening.onupgradeneeded = () => opening.result.createObjectStore("campaign");
		opening.onerror = () => reject(opening.error);
		opening.onsuccess = () => {
			const turn = opening.result.transaction("campaign", mode), asked = request(turn.objectStore("campaign"));
			turn.oncomplete = () => { opening.result.close(); resolve(asked.result); };
			turn.onabort = () => reject(turn.error);
		};
	});
}

const storedCampaign = () => inStore("readonly", s => s.get("kept")).catch(() => undefined);

function beginsWith(data, start) { return start.length <= data.length && start.every((byte, k) => byte === data[k]); }

// keep stores the record of a reply, and shows its list.
async function keep(r) {
	if (!r) return false;
	record = r.data;
	recordName = r.name;
	addFile(recordFile, {data: record});
	try {
		await inStore("readwrite", s => s.put({name: r.name, data: r.data}, "kept"));
	} catch (e) {
		say("This browser cannot keep the campaign (" + e.message + "). Save its file.");
	}
	$("after").hidden = true;
	$("output").innerHTML = r.html;
	const {rows = [], columns = [], block_columns: blocks = []} = r.list;
	const body = $("list").tBodies[0], head = $("list").tHead.rows[0], settings = rows.some(row => row.settings) ? columns : ["Option"];
	$("list").caption.textContent = rows.length ? `Campaign ${recordName.replace(/\.jsonl$/, "")}: ${rows.length} to measure` : r.note;
	const heads = ["Id", "Task", ...settings, ...blocks, "Result"];
	head.replaceChildren(...(rows.length ? heads : []).map(text => element("th", text, {scope: "col"})));
	body.replaceChildren();
	for (const m of rows) {
		const row = body.insertRow();
		row.append(element("th", m.id, {scope: "row"}));
		for (const text of [m.task, ...(m.settings || [m.arm])]) row.insertCell().textContent = text;
		for (const name of [...blocks, "reward"]) {
			const input = element("input", "", {size: 8});
			input.inputMode = name === "reward" ? "decimal" : "text";
			input.dataset.column = name;
			input.dataset.id = m.id;
			input.setAttribute("aria-label", `${name === "reward" ? "Result" : name} of ${m.id}`);
			row.insertCell().append(input);
		}
	}
	$("results").hidden = false;
	$("sure").checked = false;
	$("continue").hidden = true;
	return true;
}

// free asks before another campaign replaces the stored one.
async function free(data) {
	const old = await storedCampaign();
	return !old || data && beginsWith(data, old.data) || confirm(`This browser keeps one campaign: ${old.name}. Replace it? Save its file first.`);
}

async function openRecord(data) {
	clear();
	$("form").hidden = true;
	addFile("opened.jsonl", {data});
	const r = await work({do: "resume", table: "opened.jsonl"}, "Opening the campaign");
	if (r && await free(r.data)) await keep(r);
}

$("begin").onclick = async () => {
	if (!await free(null)) return;
	const each = Math.round(number("each")) || 6;
	keep(await work({do: "begin", table, call: {...call(), next: each}}, "Planning"));
};

$("results").onsubmit = async e => {
	e.preventDefault();
	const old = await storedCampaign();
	if (old && !beginsWith(record, old.data)) return say("Another tab has recorded results of this campaign. Reload the page, and enter the results again.");
	const lines = new Map(), columns = new Set(["id"]);
	for (const input of document.querySelectorAll("#list input")) {
		columns.add(input.dataset.column);
		lines.set(input.dataset.id, [...lines.get(input.dataset.id) || [input.dataset.id], input.value.trim()]);
	}
	const text = [[...columns], ...lines.values()].map(cells => cells.join("\t")).join("\n") + "\n";
	const typed = new Map([...document.querySelectorAll("#list input")].map(i => [i.dataset.column + i.dataset.id, i.value]));
	if (!await keep(await work({do: "observe", table: recordFile, text, sure: $("sure").checked}, "Recording and planning"))) return;
	for (const input of document.querySelectorAll("#list input")) input.value = typed.get(input.dataset.column + input.dataset.id) || "";
};

$("save-record").onclick = () => download(record, recordName);
$("continue").onclick = async () => openRecord((await storedCampaign()).data);
storedCampaign().then(old => {
	if (!old) return;
	$("continue").textContent = "Continue the campaign " + old.name.replace(/\.jsonl$/, "");
	$("continue").hidden = false;
});
