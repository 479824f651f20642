// The tests that pass in a bare isolate and fail in a sandbox on purpose, each with its reason.

export interface Exception {
  /** A glob over the test's path. */
  readonly tests: string;
  readonly reason: string;
}

const accessors =
  "The properties of a namespace are accessors, so that a reload can change what they return: their descriptors say so, and asking for a descriptor does not read the variable.";
const evaluatedAtLoad =
  "All modules of a sandbox are compiled, linked and evaluated when it is loaded, also those that only import() reaches: one that fails makes the load fail, and import() finds it evaluated.";
const noPhases =
  "import source and import defer are refused: a sandbox has no modules that are not evaluated.";
const later = "language/expressions/dynamic-import";

export const exceptions: readonly Exception[] = [
  {
    tests:
      "language/module-code/namespace/internals/{define-own-property,enumerate-binding-uninit,get-own-property-str-found-init,get-own-property-str-found-uninit,object-hasOwnProperty-binding-uninit,object-keys-binding-uninit,object-propertyIsEnumerable-binding-uninit}.js",
    reason: accessors,
  },
  {
    tests: `${later}/namespace/{await-ns,promise-then-ns}-{define-own-property,get-nested-namespace-dflt-direct,get-nested-namespace-dflt-indirect,get-own-property-str-found-init,prop-descs}.js`,
    reason: accessors,
  },
  {
    tests: `${later}/catch/*-{eval-rqstd-abrupt-typeerror,eval-rqstd-abrupt-urierror,eval-script-code-target,instn-iee-err-ambiguous-import,instn-iee-err-circular}.js`,
    reason: evaluatedAtLoad,
  },
  { tests: `${later}/for-await-resolution-and-error*.js`, reason: evaluatedAtLoad },
  { tests: `${later}/{import-errored-module,update-to-dynamic-import}.js`, reason: evaluatedAtLoad },
  {
    tests: "language/module-code/top-level-await/{dynamic-import-rejection,rejection-order}.js",
    reason: evaluatedAtLoad,
  },
  { tests: `${later}/{catch,syntax/valid}/*-import-source-*.js`, reason: noPhases },
  { tests: "language/module-code/source-phase-import/import-source.js", reason: noPhases },
  {
    tests: "language/import/import-defer/errors/resolution-error/import-defer-of-missing-module-fails.js",
    reason: noPhases,
  },
  {
    tests: "built-ins/Temporal/PlainYearMonth/prototype/*/builtin-calendar-no-array-iteration.js",
    reason:
      "Temporal is written in JavaScript here and uses the iterator of arrays: a guest that replaces it changes Temporal for itself.",
  },
  {
    tests: "language/eval-code/direct/new.target-arrow.js",
    reason:
      "The body of a module is a function: in direct eval at its top level new.target is undefined, and the guest has no parser to refuse it.",
  },
  {
    tests: `${later}/usage-from-eval.js`,
    reason: "Code that is made from text is not linked: import() in it finds no module.",
  },
];
