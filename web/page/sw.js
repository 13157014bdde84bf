"use strict";
// Keeps the files of the page, so that the page works without a network. A new version replaces the cache of the old one.
const version = "VERSION";
const files = ["./", "page.js", "campaign.js", "page.css", "report.css", "worker.js", "parquet.js", "vendor/hyparquet.js", "wasm_exec.js", "cope.wasm",
	"examples/pilot.csv", "examples/barley.csv", "examples/tuning.csv"];

self.addEventListener("install", e => e.waitUntil(
	caches.open(version).then(c => c.addAll(files)).then(() => self.skipWaiting())));

self.addEventListener("activate", e => e.waitUntil(caches.keys()
	.then(keys => Promise.all(keys.filter(k => k !== version).map(k => caches.delete(k))))
	.then(() => self.clients.claim())));

self.addEventListener("fetch", e => {
	if (e.request.method !== "GET" || new URL(e.request.url).origin !== location.origin) return;
	const asked = e.request.mode === "navigate" ? "./" : e.request; // a host may redirect index.html, and browsers refuse that from a cache
	e.respondWith(caches.open(version).then(c => c.match(asked, {ignoreSearch: true})).then(kept => kept || fetch(e.request)));
});
