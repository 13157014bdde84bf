// Colours of %%cope and Go cells in the classic Notebook.
define(["base/js/namespace", "codemirror/lib/codemirror"], function (Jupyter, CodeMirror) {
  "use strict";

  /* MODE */

  var words = /* WORDS */ {};

  return {
    onload: function () {
      CodeMirror.defineMode("gonb-cope", function () { return gonbCopeMode(words, false); });
      if (Jupyter.notebook) Jupyter.notebook.set_codemirror_mode({ name: "gonb-cope", mime: "text/x-go" });
    },
  };
});
