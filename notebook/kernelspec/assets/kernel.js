// Colours of %%cope and Go cells in the classic Notebook.
(function () {
  "use strict";

  /* MODE */

  var words = /* WORDS */ {};

  // The page asks for this module as a file of its own as soon as it reads the mode's name in a
  // notebook. There is no such file, and a refusal that came late would take the mode away.
  define("codemirror/mode/gonb-cope/gonb-cope", ["codemirror/lib/codemirror"], function (CodeMirror) {
    CodeMirror.defineMode("gonb-cope", function () { return gonbCopeMode(words, false); });
  });

  define(["base/js/namespace", "codemirror/mode/gonb-cope/gonb-cope"], function (Jupyter) {
    return {
      onload: function () {
        if (Jupyter.notebook) Jupyter.notebook.set_codemirror_mode({ name: "gonb-cope", mime: "text/x-go" });
      },
    };
  });
})();
