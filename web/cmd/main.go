//go:build js && wasm

// Command web is the browser page's program. It runs in a Web Worker, receives requests as messages, and passes them to
// internal/webpage. Build it with make web.
package main

import (
	"context"
	"encoding/json"
	"runtime"
	"syscall/js"

	"github.com/gonb-cope/gonb-cope/internal/base/rowblas"
	"github.com/gonb-cope/gonb-cope/internal/webpage"
)

func main() {
	reserveMemory()
	rowblas.Use()
	page := webpage.New(func(e webpage.Event) { post(map[string]any{"event": text(e)}) })
	requests := make(chan js.Value)
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		message := args[0].Get("data")
		go func() { requests <- message }()
		return nil
	}))
	post(map[string]any{"ready": true})
	for message := range requests {
		if file := message.Get("file"); file.Truthy() {
			name, data := file.String(), bytesOf(message.Get("data"))
			if csv, fault := message.Get("csv"), message.Get("fault"); csv.Truthy() {
				page.PutParquet(name, data, bytesOf(csv), "")
			} else if fault.Truthy() {
				page.PutParquet(name, data, nil, fault.String())
			} else {
				page.Put(name, data)
			}
			continue
		}
		reply := webpage.Reply{}
		q, err := webpage.Decode(message.Get("request").String())
		if err == nil {
			reply = page.Answer(context.Background(), q)
		}
		post(map[string]any{"id": message.Get("id"), "reply": text(reply), "data": arrayOf(reply.Data)})
	}
}

// reserved is never used. With it, garbage collection begins only when twice as much memory is in use.
var reserved []byte

// reserveMemory makes the memory of the program larger at once. If it grows in small steps while the program computes, the
// browser collects its own garbage at each step.
func reserveMemory() {
	reserved = make([]byte, 192<<20)
	reserved = make([]byte, 64<<20)
	runtime.GC()
}

// post sends a message to the page.
func post(message map[string]any) { js.Global().Call("postMessage", message) }

// text returns a value as JSON.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return `{"error": "the reply cannot be written"}`
	}
	return string(b)
}

func bytesOf(array js.Value) []byte {
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	return b
}

func arrayOf(b []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}
