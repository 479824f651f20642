// What candidates are to do: square a number. Runs outside of their sandboxes; the expected values never enter one.
export const fitness = {
  tests: [2, 3, -4, 10].map((x) => ({ name: `square of ${x}`, call: "main.f", args: [x], expected: x * x })),
};
export const limits = { memoryBytes: 64 * 2 ** 20 };
export const options = { timeoutMs: 1_000 };
