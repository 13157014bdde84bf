// gonbCopeMode reads cells line by line for CodeMirror 5 and, as a StreamLanguage,
// for CodeMirror 6. A cell that begins with %%cope is a script, any other is Go for
// GoNB; with always, everything is a script.
function gonbCopeMode(words, always) {
  function set(list) {
    var all = Object.create(null);
    list.forEach(function (word) { all[word] = true; });
    return all;
  }
  var functions = set(words.functions), kernels = set(words.kernels), constants = set(["pi", "true", "false"]);
  var goKeywords = set(("break case chan const continue default defer else fallthrough for func go goto if import " +
    "interface map package range return select struct switch type var").split(" "));
  var goTypes = set(("any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 " +
    "rune string uint uint8 uint16 uint32 uint64 uintptr").split(" "));
  var goBuiltins = set("append cap clear close complex copy delete imag len make max min new panic print println real recover".split(" "));
  var goConstants = set(["true", "false", "iota", "nil"]);
  var number = /^(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?)i?/;
  var name = /^[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/;

  // Comments, texts and numbers are alike in both languages.
  function common(stream, state) {
    if (state.inside) {
      var end = state.inside === "comment" ? "*/" : "`";
      var style = state.inside === "comment" ? "comment" : "string";
      if (stream.skipTo(end)) {
        stream.match(end);
        state.inside = "";
      } else {
        stream.skipToEnd();
      }
      return style;
    }
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      state.inside = "comment";
      return common(stream, state);
    }
    if (stream.match("`")) {
      state.inside = "text";
      return common(stream, state);
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return "string";
    if (stream.match(number)) return "number";
    return "";
  }

  function cope(stream, state) {
    var found = stream.match(name);
    if (found) {
      var word = found[0];
      if (stream.match(/^\s*=(?!=)/, false)) return state.depth > 0 ? "attribute" : "def";
      if (state.depth === 0 && stream.match(/^\s*\([\w\s,]*\)\s*=(?!=)/, false)) return "def";
      return kernels[word] ? "keyword" : functions[word] ? "builtin" : constants[word] ? "atom" : "variable";
    }
    var next = stream.next();
    if ("([{".indexOf(next) >= 0) state.depth++;
    if (")]}".indexOf(next) >= 0) state.depth = Math.max(0, state.depth - 1);
    return "=+-*/^<>!&|?.".indexOf(next) >= 0 ? "operator" : null;
  }

  function go(stream) {
    var found = stream.match(name);
    if (found) {
      var word = found[0];
      return goKeywords[word] ? "keyword" : goTypes[word] ? "type" : goBuiltins[word] ? "builtin" : goConstants[word] ? "atom" : "variable";
    }
    return "=+-*/%^<>!&|:~".indexOf(stream.next()) >= 0 ? "operator" : null;
  }

  return {
    name: always ? "cope" : "gonb-cope",
    startState: function () { return { script: !!always, first: !always, inside: "", depth: 0, command: false }; },
    copyState: function (s) { return { script: s.script, first: s.first, inside: s.inside, depth: s.depth, command: s.command }; },
    token: function (stream, state) {
      // The first line that is neither blank nor a comment says what a cell is.
      if (state.first && stream.sol() && stream.match(/^\s*(?:\/\/gonb:\s*)?%%cope(?=\s|$)/)) {
        state.script = true;
        state.first = false;
        stream.skipToEnd();
        return "meta";
      }
      // GoNB's commands; one whose line ends in a backslash goes on in the next.
      if (!state.script && !state.inside && stream.sol() && (state.command || stream.match(/^(?:\/\/gonb:)?[%!]/))) {
        state.first = false;
        stream.skipToEnd();
        state.command = /\\$/.test(stream.string);
        return "meta";
      }
      if (!state.inside && stream.eatSpace()) return null;
      if (state.first && !stream.match("//", false)) state.first = false;
      return common(stream, state) || (state.script ? cope(stream, state) : go(stream));
    },
    lineComment: "//",
    blockCommentStart: "/*",
    blockCommentEnd: "*/",
    electricChars: "})",
    languageData: {
      commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
      closeBrackets: { brackets: ["(", "[", "{", '"', "'", "`"] },
      indentOnInput: /^\s*[)\]}]$/,
    },
  };
}
