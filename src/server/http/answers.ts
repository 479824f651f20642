// What a handler answered as a response.
import { operations, type Operation, type OperationId } from "../../contract/operations.ts";
import { contentTypeOf, EventLines, flowing, Lines, textsOf, type Flow, type LineForm } from "./lines.ts";

/** An answer that is no error. */
export interface Answered {
  readonly id: OperationId;
  readonly answer: unknown;
  /** Which lines its caller accepts. */
  readonly form: LineForm | undefined;
}

/** The response. `flow.onEnd` is called for lines alone. */
export function toResponse(
  { id, answer, form }: Answered,
  flow: Flow,
  onText?: (text: string) => void,
): Response {
  const operation: Operation = operations[id];
  const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  if (answer instanceof Lines || answer instanceof EventLines) {
    const lineForm = answer instanceof EventLines ? "sse" : (form ?? "ndjson");
    const lines = answer.open(flow.signal);
    const texts = answer instanceof EventLines ? (lines as AsyncIterable<string>) : textsOf(lines, lineForm);
    const body = flowing(heard(texts, onText), flow);
    // A proxy that gathers what it passes on would take the life out of them.
    const own = { ...headers, "content-type": contentTypeOf[lineForm], "x-accel-buffering": "no" };
    return new Response(body, { status: 200, headers: own });
  }
  if (answer === undefined) return new Response(null, { status: 204, headers });
  const text = JSON.stringify(answer);
  onText?.(text);
  const status = operation.status ?? 200;
  const own = { ...headers, "content-type": "application/json" };
  return new Response(text, { status, headers: own });
}

function heard(texts: AsyncIterable<string>, onText?: (text: string) => void): AsyncIterator<string> {
  const iterator = texts[Symbol.asyncIterator]();
  if (onText === undefined) return iterator;
  return {
    next: async () => {
      const step = await iterator.next();
      if (step.done !== true) onText(step.value);
      return step;
    },
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
  };
}
