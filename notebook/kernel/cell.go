package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// cell is one execute_request that the kernel is executing.
type cell struct {
	k       *kernel
	request *jupyter.Message
	ask     executeRequest
	count   int
	payload []any

	mu        sync.Mutex
	remembers bool     // store published output in shown; set for cells that show progress
	shown     []output // stored output, oldest first
}

// output is a published message that front ends keep below a cell.
type output struct {
	msgType string
	content any
}

// executeRequest is the content of execute_request.
type executeRequest struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    *bool             `json:"store_history"`
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      *bool             `json:"allow_stdin"`
	StopOnError     *bool             `json:"stop_on_error"`
}

// stores reports whether the execution is counted and remembered.
func (a executeRequest) stores() bool { return !a.Silent && isTrue(a.StoreHistory) }

// isTrue returns the value of an optional flag. A missing flag (nil) is true.
func isTrue(flag *bool) bool { return flag == nil || *flag }

// failure is an error of a cell as front ends show it.
type failure struct {
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// failed returns a failure with the given name. Its traceback is the lines of text, and its value is the first line.
func failed(name, text string) *failure {
	return &failure{Name: name, Value: firstLine(text), Traceback: strings.Split(text, "\n")}
}

// interrupted returns the failure of an interrupted cell. what describes the interrupted work; it may be "".
func interrupted(what string) *failure {
	return failed("Interrupted", strings.TrimSuffix("interrupted: "+what, ": "))
}

// reply returns the fields that a reply to a request has after this failure.
func (f *failure) reply() map[string]any {
	return map[string]any{"status": "error", "ename": f.Name, "evalue": f.Value, "traceback": f.Traceback}
}

func (k *kernel) execute(ctx context.Context, r request) {
	c := &cell{k: k, request: r.message, payload: []any{}}
	if err := r.message.Decode(&c.ask); err != nil {
		k.reply(jupyter.ShellChannel, r.message, c.errorReply(failed("BadRequest", err.Error())))
		return
	}
	if r.arrived.Before(k.abortBefore) {
		k.reply(jupyter.ShellChannel, r.message, map[string]any{"status": "aborted"})
		return
	}
	if c.ask.stores() {
		k.count++
	}
	c.count = k.count
	c.publish("execute_input", map[string]any{"code": c.ask.Code, "execution_count": c.count})
	started := time.Now()
	result, failed := c.run(ctx)
	var expressions map[string]any
	if failed == nil {
		expressions = k.cope.expressions(ctx, c.ask.UserExpressions)
	}
	if c.ask.stores() {
		k.history.add(c.count, c.ask.Code, result)
	}
	var reply map[string]any
	if failed == nil {
		reply = map[string]any{"status": "ok", "execution_count": c.count, "payload": c.payload, "user_expressions": expressions}
	} else {
		reply = c.errorReply(failed)
		c.publish("error", failed)
	}
	m := k.server.Session().New("execute_reply", r.message, reply)
	m.Metadata, _ = json.Marshal(map[string]any{"started": started.UTC().Format(time.RFC3339Nano), "status": reply["status"]})
	if failed != nil && isTrue(c.ask.StopOnError) && !c.ask.Silent {
		k.abortBefore = time.Now()
	}
	k.server.Send(jupyter.ShellChannel, m)
}

// run executes a script cell in this process and any other cell in GoNB. result is the last value of a script as text, for
// the history; it is "" for Go cells. fault is nil if the cell succeeded.
func (c *cell) run(ctx context.Context) (result string, fault *failure) {
	defer func() { // a panic in our code must not end the kernel
		if r := recover(); r != nil {
			c.k.opt.Log("defect: cell %d: %v\n%s", c.count, r, debug.Stack())
			fault = failed("Defect", fmt.Sprintf("defect in gonb-cope (please report it): %v", r))
		}
	}()
	body, isCope, err := dsl.Cell(c.ask.Code)
	switch {
	case err != nil:
		return "", failed("CopeError", err.Error())
	case isCope:
		return c.k.cope.run(ctx, c, body)
	case strings.TrimSpace(c.ask.Code) == "":
		return "", nil
	}
	if fault = c.misplaced(); fault != nil {
		return "", fault
	}
	fault = c.k.golang.run(ctx, c)
	c.k.cope.mu.Lock()
	defer c.k.cope.mu.Unlock()
	c.k.cope.warnStale(c) // the Go cell may have bound names of the session
	return "", fault
}

func (c *cell) errorReply(f *failure) map[string]any {
	reply := f.reply()
	reply["execution_count"], reply["payload"], reply["user_expressions"] = c.count, c.payload, map[string]any{}
	return reply
}

// publish sends output to all front ends. It also stores the output in c.shown if c.remembers is set.
func (c *cell) publish(msgType string, content any) {
	c.mu.Lock()
	switch msgType {
	case "stream", "display_data", "execute_result":
		if c.remembers {
			c.shown = append(c.shown, output{msgType, content})
		}
	case "clear_output":
		c.shown = nil
	}
	c.mu.Unlock()
	c.send(msgType, content)
}

// again clears the cell's output in front ends and then sends the stored output again. This removes output that was not
// stored, such as progress. Set more if the cell will send more output afterwards.
func (c *cell) again(more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.send("clear_output", map[string]bool{"wait": more || len(c.shown) > 0})
	for _, o := range c.shown {
		c.send(o.msgType, o.content)
	}
}

// send sends a message to all front ends, unless the execution is silent.
func (c *cell) send(msgType string, content any) {
	if !c.ask.Silent {
		c.k.publish(msgType, c.request, content)
	}
}

// stream sends text as output of stdout or stderr (name). It sends nothing for "".
func (c *cell) stream(name, text string) {
	if text != "" {
		c.publish("stream", map[string]string{"name": name, "text": text})
	}
}

// display sends a value as a message of type msgType. data maps media types to representations. If id is not "", a later
// message can replace the display.
func (c *cell) display(msgType, id string, data, metadata map[string]any) {
	c.publish(msgType, c.displayed(msgType, id, data, metadata))
}

// displayed returns the content of a display message: display_data, update_display_data or execute_result.
func (c *cell) displayed(msgType, id string, data, metadata map[string]any) any {
	if metadata == nil {
		metadata = map[string]any{}
	}
	content := map[string]any{"data": data, "metadata": metadata, "transient": map[string]any{}}
	if id != "" {
		content["transient"] = map[string]any{"display_id": id}
	}
	if msgType == "execute_result" {
		content["execution_count"] = c.count
	}
	return content
}
