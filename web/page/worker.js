"use strict";
// Runs the program. The first message is the compiled module; the program itself receives all later ones.
importScripts("wasm_exec.js");
onmessage = async e => {
	const go = new Go();
	const instance = await WebAssembly.instantiate(e.data.module, go.importObject);
	await go.run(instance);
	postMessage({ended: true}); // after a fault of the runtime, such as too little memory
};
