// Colours of %%cope and Go cells, and of .cope files, in JupyterLab 4 and Notebook 7:
// a module federation container, written by hand, with one plugin.
(function () {
  "use strict";

  /* MODE */

  var words = /* WORDS */ {};
  var shared; // what JupyterLab shares: package, version, how to get it

  // load gets the package that JupyterLab itself uses.
  function load(name) {
    var versions = shared[name] || {};
    var found = Object.keys(versions).map(function (v) { return versions[v]; });
    var one = found.find(function (s) { return s.loaded; }) || found[0];
    if (!one) return Promise.reject(new Error("gonb-cope: JupyterLab does not share " + name));
    return Promise.resolve(one.get()).then(function (make) { return make(); });
  }

  function plugin(codemirror, language) {
    function entry(name, title, mime, extensions, always) {
      return {
        name: name,
        displayName: title,
        mime: mime,
        extensions: extensions,
        load: function () {
          var mode = language.StreamLanguage.define(gonbCopeMode(words, always));
          return Promise.resolve(new language.LanguageSupport(mode));
        },
      };
    }
    return {
      id: "gonb-cope:languages",
      description: "Colours for cells and files of gonb-cope",
      autoStart: true,
      requires: [codemirror.IEditorLanguageRegistry],
      activate: function (app, languages) {
        languages.addLanguage(entry("gonb-cope", "Go + CoPE", "text/x-gonb-cope", [], false));
        languages.addLanguage(entry("cope", "CoPE", "text/x-cope", ["cope"], true));
      },
    };
  }

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB["gonb-cope"] = {
    init: function (scope) { shared = scope; },
    get: function () {
      return Promise.all([load("@jupyterlab/codemirror"), load("@codemirror/language")]).then(function (got) {
        return function () { return { __esModule: true, default: plugin(got[0], got[1]) }; };
      });
    },
  };
})();
