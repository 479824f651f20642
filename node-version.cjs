// Says in one line that this Node is too old, before anything is parsed or compiled that it does not know. Every entry of the
// package asks it first, and so does the installation; so it is written in what any Node can read.
"use strict";

var needed = Number(/\d+/.exec(require("./package.json").engines.node)[0]);
var found = process.versions.node;

/** What to tell; empty where this Node will do. */
module.exports =
  Number.parseInt(found, 10) >= needed
    ? ""
    : "vivarium needs Node.js " +
      needed +
      " or later: this is " +
      found +
      " (see https://nodejs.org, or use nvm)";

// As a program it is run by npm, before anything is installed.
if (require.main === module && module.exports !== "") {
  console.error(module.exports);
  process.exitCode = 1;
}
