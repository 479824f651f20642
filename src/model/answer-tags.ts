// How a guest's answer tells what it is: a contract between the runtime inside an isolate and everyone outside.

/** First letters of an answer that is no value. A value is JSON, or a table that starts with V. */
export const answerTags = {
  thrown: "T",
  refused: "R",
  missing: "X",
  /** A process that was asked ended, or was not there. */
  unanswered: "D",
  /** One more process would have been one too many. */
  processLimit: "L",
  /** The host did not let it. */
  denied: "Z",
  /** The state of a process could not be brought into a new form. */
  unmigrated: "M",
  pending: "P",
  never: "N",
} as const;
