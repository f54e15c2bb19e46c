package history

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// The program and its first words, a word a line.
func command() []string { return strings.Split(os.Getenv("CODEH_COMMAND"), "\n") }

func TestManyAtOnce(t *testing.T) {
	h, err := Open(command()...)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, session := range []string{"a", "b", "c"} {
		all.Add(1)
		go func(session string) {
			defer all.Done()
			for _, text := range []string{"1", "2", "- 3"} {
				if answer, err := h.Run("append", "-s", session, "-m", text); err != nil || answer.Code != 0 {
					t.Error(answer, err)
				}
			}
			if answer, _ := h.Run("last", session); answer.Stdout != "- 3\n" {
				t.Error(answer)
			}
		}(session)
	}
	all.Wait()
	if answer, _ := h.Run("last", "nowhere"); answer.Code != 3 {
		t.Error(answer)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if _, err := h.Run("list"); err == nil {
		t.Error("an answer after the end")
	}
}

func TestEventsAndCancel(t *testing.T) {
	h, err := Open(command()...)
	if err != nil {
		t.Fatal(err)
	}
	id, answers := h.Start(Request{
		Argv:   []string{"ask", "-s", "a", "-m", "x", "--to", "text", "--via", "echo streamed; sleep 60"},
		Stream: true,
	})
	said := ""
	for answer := range answers {
		if answer.Event == "" && answer.Code != 143 {
			t.Error(answer)
		}
		if answer.Event == "stdout" && said == "" {
			h.Cancel(id)
		}
		if answer.Event == "stdout" {
			said += answer.Data
		}
	}
	if !strings.HasPrefix(said, "streamed") {
		t.Error(said)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
