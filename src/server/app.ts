// The routes, made of the contract's table. Each request goes the same way: who asks, what is asked for, its one handler, and the
// answer in the form that its operation has.
import type { Context, Hono } from "hono";
import { operationList, type Operation, type OperationId } from "../contract/operations.ts";
import { readBody, readQuery } from "../contract/reading.ts";
import { RuntimeClosedError } from "../model/errors.ts";
import { RequestRefusedError } from "./access/refusals.ts";
import type { Caller } from "./gate.ts";
import type { Asked, Handler, Parts } from "./handler.ts";
import { handlers } from "./handlers/table.ts";
import { checkOwned } from "./handlers/specs.ts";
import type { Idempotency, Recording } from "./held/idempotency.ts";
import { toResponse } from "./http/answers.ts";
import { parseBody, readText } from "./http/bodies.ts";
import { acceptedLines, type LineForm } from "./http/lines.ts";
import { problemResponse } from "./http/problems.ts";
import type { Request, Underway } from "./underway.ts";

export interface AppParts {
  readonly parts: Parts;
  readonly idempotency: Idempotency;
  readonly underway: Underway;
}

/** Adds the routes of all operations. */
export function addRoutes(app: Hono, how: AppParts): void {
  const allowed = new Map<string, string[]>();
  for (const [id, operation] of operationList) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    allowed.set(path, [...(allowed.get(path) ?? []), operation.method]);
    app.on(operation.method, path, (context) => answer(how, { id, operation, context }));
  }
  for (const [path, methods] of allowed)
    app.all(path, ({ req }) => {
      const allow = methods.join(", ");
      const message = `Cannot answer as the method must be ${allow} here: got ${req.method}`;
      return problemResponse(new RequestRefusedError(message, 405, { allow }));
    });
}

interface Routed {
  readonly id: OperationId;
  readonly operation: Operation;
  readonly context: Context;
}

async function answer(how: AppParts, routed: Routed): Promise<Response> {
  const { req } = routed.context;
  const request = how.underway.begin(req.raw);
  try {
    if (how.underway.isClosed) throw new RuntimeClosedError("answer");
    const asked = await read(how.parts, routed, request.signal);
    const kept = await keyed(how, routed, asked);
    if (!(kept instanceof Response))
      return await handled(how.parts, { ...asked, request, routed, recording: kept });
    request.end();
    return kept;
  } catch (error) {
    // What was begun for it has nobody who waits.
    request.abort();
    request.end();
    return problemResponse(error);
  }
}

// The answer that the key has already, or what records the one that it gets.
async function keyed(
  { idempotency }: AppParts,
  { id, operation, context }: Routed,
  { caller, asked, text }: Read,
): Promise<Response | Recording | undefined> {
  const key = operation.creates === true ? context.req.header("idempotency-key") : undefined;
  if (key === undefined) return undefined;
  const request = [id, formOf(context) ?? "", text];
  return idempotency.begin({ tokenId: caller.tokenId, key, request, signal: asked.signal });
}

interface Handled extends Read {
  readonly routed: Routed;
  readonly request: Request;
  readonly recording: Recording | undefined;
}

async function handled(
  parts: Parts,
  { routed, caller, asked, request, recording }: Handled,
): Promise<Response> {
  const { id, context } = routed;
  let close: (() => void) | undefined;
  try {
    // The table has the handler of each operation by its own type, which is not known here.
    const handle = handlers[id] as unknown as Handler<OperationId>;
    // Nothing may be begun for an answer in lines that has no room.
    close = isLong(routed.operation, asked) ? parts.gate.openStream(caller) : undefined;
    const given = await handle(asked);
    const onEnd = (isWhole: boolean): void => {
      close?.();
      request.end();
      if (isWhole) recording?.end(response.status, response.headers.get("content-type"));
      else recording?.drop();
    };
    const { clock, bounds } = parts;
    const { signal, abort } = request;
    const flow = { clock, stallMs: bounds.stallMs, signal, abort, onEnd };
    const response = toResponse({ id, answer: given, form: formOf(context) }, flow, (part) =>
      recording?.text(part),
    );
    if (close === undefined) onEnd(true);
    return response;
  } catch (error) {
    close?.();
    if (recording !== undefined) {
      const refused = problemResponse(error);
      recording.text(await refused.text());
      recording.end(refused.status, refused.headers.get("content-type"));
    }
    throw error;
  }
}

function isLong({ answer }: Operation, { wantsLines }: Asked<OperationId>): boolean {
  return wantsLines || answer === "lines" || answer === "events";
}

function formOf({ req }: Context): LineForm | undefined {
  return acceptedLines(req.header("accept") ?? null);
}

interface Read {
  readonly caller: Caller;
  readonly asked: Asked<OperationId>;
  readonly text: string;
}

async function read(parts: Parts, { id, operation, context }: Routed, signal: AbortSignal): Promise<Read> {
  const { req } = context;
  const { gate } = parts;
  const caller = gate.authenticate(req.raw);
  gate.require(caller, operation);
  const params = req.param();
  if ("id" in params) checkOwned(gate, caller, params["id"]);
  const query = readQuery(id, new URL(req.url).searchParams);
  const text = operation.method === "GET" ? "" : await readText(req.raw, parts.bounds.bodyBytes);
  const body = readBody(id, parseBody(text));
  const wantsLines = operation.answer === "either" && formOf(context) !== undefined;
  const lastEventId = req.header("last-event-id") ?? null;
  const common = { parts, caller, signal, params, wantsLines, lastEventId };
  // What it has is checked by the contract's schemas.
  return { caller, text, asked: { ...common, query, body } as unknown as Asked<OperationId> };
}
