package notebook

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// written is a notebook as Jupyter writes it: keys in order, one space, text as lines.
const written = `{
 "cells": [
  {
   "attachments": {
    "a.png": {
     "image/png": "AAAA"
    }
   },
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {
    "our-own": [
     1.50,
     null
    ]
   },
   "source": [
    "# Title\n",
    "<b> & é"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "c-1",
   "metadata": {
    "tags": [
     "parameters"
    ]
   },
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "a\n",
      "b"
     ]
    },
    {
     "data": {
      "application/vnd.x+json": {
       "n": 1e-3
      },
      "text/plain": [
       "x"
      ]
     },
     "execution_count": 3,
     "metadata": {},
     "output_type": "execute_result"
    },
    {
     "data": {},
     "metadata": {
      "gonb_cope": {
       "progress": true
      }
     },
     "output_type": "display_data"
    },
    {
     "ename": "E",
     "evalue": "",
     "output_type": "error",
     "traceback": []
    }
   ],
   "source": []
  },
  {
   "cell_type": "raw",
   "id": "r",
   "metadata": {},
   "source": [
    "raw"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "K",
   "name": "gonb-cope"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func TestReadAndWriteChangesNothing(t *testing.T) {
	n := try.Of(Read(strings.NewReader(written)))
	var b bytes.Buffer
	try.To(Write(&b, n))
	if d := cmp.Diff(written, b.String()); d != "" {
		t.Error(d)
	}
	c := n.Cells[1]
	if n.KernelName() != "gonb-cope" || !c.HasTag("parameters") || c.ExecutionCount != 3 || c.Outputs[0].Text != "a\nb" {
		t.Errorf("%q %v %d %q", n.KernelName(), c.Tags(), c.ExecutionCount, c.Outputs[0].Text)
	}
	if got := c.Outputs[1].Data["application/vnd.x+json"].(map[string]any)["n"]; got != json.Number("1e-3") {
		t.Errorf("the number became %v", got)
	}
	if got := len(c.Lasting()); got != 3 {
		t.Errorf("%d outputs last, want 3: all but the progress", got)
	}
}

// Notebooks before 4.5 have no ids, and some have twice the same.
func TestIDs(t *testing.T) {
	n := try.Of(Read(strings.NewReader(`{"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": [
		{"cell_type": "raw", "metadata": {}, "source": "a"},
		{"cell_type": "raw", "metadata": {}, "source": ["b"], "id": "x"},
		{"cell_type": "raw", "metadata": {}, "source": "c", "id": "x"},
		{"cell_type": "raw", "metadata": {}, "source": "d", "id": "not valid!"}]}`)))
	var ids []string
	for _, c := range n.Cells {
		ids = append(ids, c.ID)
	}
	if d := cmp.Diff([]string{"cell-1", "x", "cell-3", "cell-4"}, ids); d != "" {
		t.Error(d)
	}
}

func TestReadErrors(t *testing.T) {
	cell := func(c string) string { return `{"nbformat": 4, "cells": [` + c + `]}` }
	for text, want := range map[string]string{
		``:                                  "not a notebook",
		`{"nbformat": 4`:                    "not a notebook",
		`{"nbformat": 2}`:                   "nbformat is 2",
		`[1]`:                               "not a notebook: the file must hold an object, not an array",
		`{"nbformat": 4, "cells": {}}`:      "cells cannot be an object (byte 26 of the file)",
		`{"nbformat": 4, "metadata": []}`:   "metadata cannot be an array",
		`{"nbformat": 4, "metadata": true}`: "metadata cannot be true or false",
		`{"nbformat": 4, "cells": []} {}`:   "byte 30 of the file: the notebook has ended and more follows",
		`{"nbformat": 4, "cells": []}]`:     "byte 29 of the file: the notebook has ended and more follows",
		"\ufeff{\"nbformat\": 4, \"cells\": []} x": "byte 33 of the file: the notebook has ended and more follows",
		"\ufeff{\"nbformat\": x":                   "byte 17 of the file is not JSON",
		"\xff\xfe{\x00":                            "the file is UTF-16; save it as UTF-8",
		cell(`{"cell_type": "x"}`):                 `cell 1: cell_type must be code, markdown or raw, not "x"`,
		cell(`{"cell_type": "raw", "source": 5}`):  "text must be a string or a list of strings, not 5",
		cell(`{"cell_type": "code", "source": "", "outputs": [{"output_type": "y"}]}`):                         `cell 1: output 1: output_type must be`,
		cell(`{"cell_type": "code", "source": "", "execution_count": "z", "outputs": []}`):                     "execution_count must be a whole number or null",
		cell(`{"cell_type": "code", "outputs": [{"output_type": "display_data", "data": {"text/plain": 5}}]}`): "text/plain must be text",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A byte order mark, as some editors on Windows write it, and blank lines at the end
// are not part of the notebook.
func TestReadWithMark(t *testing.T) {
	for _, text := range []string{"\ufeff" + written, written + "\n \t\r\n"} {
		n, err := Read(strings.NewReader(text))
		if err != nil || len(n.Cells) != 3 {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// A file that is not regular is refused before it is opened, because opening a pipe without a
// writer would block.
func TestLoadRegular(t *testing.T) {
	folder := t.TempDir()
	for _, path := range []string{folder, "/dev/zero"} {
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path+" is not a regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written)
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		try.To(Write(&b, n))
		if _, err := Read(&b); err != nil {
			t.Errorf("%s\nwas written as what cannot be read: %v", text, err)
		}
	})
}
