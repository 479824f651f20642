// The marks that enclose what the compiler changed inside of functions: comments with control characters. The last one
// carries the text that was there before.

export const editMarks = {
  start: "/*\u0001*/",
  end: "/*\u0002",
  close: "*/",
} as const;
