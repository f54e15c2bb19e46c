// Package history is a client of `codeh-history serve`: one process, any number of commands at once.
// See docs/serve.md.
package history

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// Request is a command line and what goes with it; History gives it its id.
type Request struct {
	ID      int                `json:"id"`
	Argv    []string           `json:"argv"`
	Stdin   string             `json:"stdin,omitempty"`
	Stdin64 []byte             `json:"stdin64,omitempty"`
	Cwd     string             `json:"cwd,omitempty"`
	Env     map[string]*string `json:"env,omitempty"`
	Stream  bool               `json:"stream,omitempty"`
}

// Answer is a line about a request: what came of it, or with Event what it prints.
type Answer struct {
	ID       *int   `json:"id"`
	Code     int    `json:"code"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	Stdout64 []byte `json:"stdout64"` // instead of Stdout, where it is no UTF-8
	Stderr64 []byte `json:"stderr64"`
	Event    string `json:"event"`
	Data     string `json:"data"`
	Data64   []byte `json:"data64"`
}

// History is a running `serve`.
type History struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	read    chan struct{} // closed when there are no more answers
	writing sync.Mutex
	mutex   sync.Mutex
	last    int
	waiting map[int]chan Answer
	gone    bool
}

// Open starts it; command is the program and what goes before its verb.
func Open(command ...string) (*History, error) {
	if len(command) == 0 {
		command = []string{"codeh-history"}
	}
	process := exec.Command(command[0], append(command[1:], "serve")...)
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	h := &History{command: process, stdin: stdin, read: make(chan struct{}), waiting: map[int]chan Answer{}}
	go h.hear(stdout)
	return h, nil
}

// Run runs a command line and waits for its answer.
func (h *History) Run(argv ...string) (Answer, error) {
	_, answers := h.Start(Request{Argv: argv})
	answer, ok := <-answers
	if !ok {
		return Answer{}, fmt.Errorf("serve has ended")
	}
	return answer, nil
}

// Start begins a request: its id, and its events and last its answer, which must be read. The channel is closed
// after the answer, or without one where serve has ended.
func (h *History) Start(request Request) (int, <-chan Answer) {
	answers := make(chan Answer, 16)
	h.mutex.Lock()
	h.last++
	request.ID = h.last
	if h.gone {
		close(answers)
	} else {
		h.waiting[request.ID] = answers
	}
	h.mutex.Unlock()
	h.send(request)
	return request.ID, answers
}

// Cancel ends a request, which is answered all the same.
func (h *History) Cancel(id int) { h.send(map[string]int{"cancel": id}) }

// Close finishes what was asked.
func (h *History) Close() error {
	h.stdin.Close()
	<-h.read
	return h.command.Wait()
}

func (h *History) send(line any) {
	data, err := json.Marshal(line)
	if err != nil {
		panic(err) // none of ours
	}
	h.writing.Lock()
	defer h.writing.Unlock()
	h.stdin.Write(append(data, '\n')) // where serve has ended, that is heard
}

func (h *History) hear(stdout io.Reader) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var answer Answer
		if json.Unmarshal(line, &answer) != nil || answer.ID == nil {
			continue
		}
		h.mutex.Lock()
		answers := h.waiting[*answer.ID]
		if answer.Event == "" {
			delete(h.waiting, *answer.ID)
		}
		h.mutex.Unlock()
		if answers == nil {
			continue
		}
		answers <- answer
		if answer.Event == "" {
			close(answers)
		}
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.gone = true
	for _, answers := range h.waiting {
		close(answers)
	}
	close(h.read)
}
