// DOMException and QuotaExceededError: what the web's classes throw.
import type { Made } from "./needs.ts";

/** What the script makes, for the other scripts. */
export interface Exceptions extends Made {
  readonly DOMException: new (message: string, name: string) => Error;
  readonly QuotaExceededError: new (message: string, details: { quota: number; requested: number }) => Error;
}

/** The names that have a number, in the order of their numbers; those that are none have become unused. */
const numbered =
  "IndexSizeError,,HierarchyRequestError,WrongDocumentError,InvalidCharacterError,,NoModificationAllowedError,NotFoundError,NotSupportedError,InUseAttributeError,InvalidStateError,SyntaxError,InvalidModificationError,NamespaceError,InvalidAccessError,,TypeMismatchError,SecurityError,NetworkError,AbortError,URLMismatchError,QuotaExceededError,TimeoutError,InvalidNodeTypeError,DataCloneError".split(
    ",",
  );
/** The constants of those that are unused have names of their own. */
const unused: Readonly<Record<number, string>> = {
  2: "DOMSTRING_SIZE_ERR",
  6: "NO_DATA_ALLOWED_ERR",
  16: "VALIDATION_ERR",
};

export function make(): Exceptions {
  for (let code = 1; code <= numbered.length; code++) {
    const constant = { value: code, enumerable: true };
    const name = unused[code] ?? constantOf(numbered[code - 1] ?? "");
    Object.defineProperty(DOMException, name, constant);
    Object.defineProperty(DOMException.prototype, name, constant);
  }
  tag(DOMException, "DOMException");
  tag(QuotaExceededError, "QuotaExceededError");
  return { DOMException, QuotaExceededError };
}

class DOMException extends Error {
  readonly #name: string;
  readonly #message: string;

  constructor(message: unknown = "", options: unknown = "Error") {
    // Without a message of its own, as it is read by way of the prototype.
    super();
    this.#message = `${message as string}`;
    if (typeof options === "object" && options !== null) {
      const { name = "Error", cause } = options as { name?: unknown; cause?: unknown };
      this.#name = `${name as string}`;
      if ("cause" in options)
        Object.defineProperty(this, "cause", {
          value: cause,
          configurable: true,
          enumerable: false,
          writable: true,
        });
    } else this.#name = `${options as string}`;
  }

  override get name(): string {
    return this.#name;
  }
  override get message(): string {
    return this.#message;
  }
  get code(): number {
    return numbered.indexOf(this.#name || "none") + 1;
  }
}

class QuotaExceededError extends DOMException {
  readonly #quota: number | null;
  readonly #requested: number | null;

  constructor(message: unknown = "", { quota, requested }: { quota?: unknown; requested?: unknown } = {}) {
    super(message, "QuotaExceededError");
    this.#quota = quota === undefined ? null : Number(quota);
    this.#requested = requested === undefined ? null : Number(requested);
  }

  get quota(): number | null {
    return this.#quota;
  }
  get requested(): number | null {
    return this.#requested;
  }
}

// InvalidCharacterError → INVALID_CHARACTER_ERR
function constantOf(name: string): string {
  const words = name
    .replace(/Error$/, "")
    .replace("InUse", "Inuse")
    .replace("URL", "Url")
    .replaceAll(/(?<=[a-z])[A-Z]/g, "_$&");
  return `${words.toUpperCase()}_ERR`;
}

function tag(of: { readonly prototype: object }, name: string): void {
  Object.defineProperty(of.prototype, Symbol.toStringTag, { value: name, configurable: true });
}
