// A module of a sandbox as an object whose methods are its exports.

/** An object that calls `call` with the name of whatever method is called. */
export function proxyOf<P extends object>(call: (name: string, args: readonly unknown[]) => unknown): P {
  return new Proxy(Object.create(null) as P, {
    // `then` must stay missing, so that awaiting the proxy gives the proxy.
    get: (_, name) =>
      typeof name === "string" && name !== "then" ? (...args: unknown[]) => call(name, args) : undefined,
  });
}
