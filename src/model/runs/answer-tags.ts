// The tags of a guest's answers: a contract between the runtime inside an isolate and the code outside.

/** The first character of an answer that is no value. A value is JSON, or a table that starts with V. */
export const answerTags = {
  thrown: "T",
  refused: "R",
  missing: "X",
  /** The process that was asked exited, or does not exist. */
  unanswered: "D",
  /** The limit of processes was reached. */
  processLimit: "L",
  /** The host denied a capability. */
  denied: "Z",
  /** The state of a process could not be migrated. */
  unmigrated: "M",
  pending: "P",
  never: "N",
} as const;
