// One request on its way through a listening server: guard, drain, the system's own paths, then the operations.
import { RequestError, getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { problemContentType } from "../../contract/problem.ts";
import { VivariumError } from "../../model/errors.ts";
import type { Clock } from "../../std/clock.ts";
import { bare } from "../guard/addresses.ts";
import {
  answerHeaders,
  reasonOfStatus,
  type Guard,
  type Passed,
  type RefusalReason,
  type Refused,
} from "../guard/guard.ts";
import { RequestRefusedError } from "../access/refusals.ts";
import { problemOf, sendProblem, sendResponse, type Streaming } from "./answers.ts";
import { operationOf, type Figures } from "./figures.ts";
import type { Refusal } from "./options.ts";
import { answerSystem, isSystemPath, type SystemParts } from "./system-routes.ts";

export interface RequestParts {
  readonly fetch: (request: Request) => Promise<Response> | Response;
  readonly guard: Guard;
  /** Notes that a request is under way on a connection, until the returned function is called. */
  readonly begin: (socket: Socket) => () => void;
  readonly figures: Figures;
  readonly system: SystemParts;
  readonly streaming: Streaming;
  readonly isDraining: () => boolean;
  readonly clock: Clock;
  readonly refuse: (refusal: Refusal) => void;
}

export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** What the client waits for before it sends the body, by its header `Expect`: nothing, to be told to go on, or who knows what. */
export type Expected = "nothing" | "continue" | "unknown";

/** What Node calls for each request. */
export function requestListener(parts: RequestParts): (expected: Expected) => Listener {
  const serve = getRequestListener(
    async (request, env) => {
      // This server makes no other kind.
      const outgoing = env.outgoing as ServerResponse;
      await sendResponse(await parts.fetch(request), outgoing, parts.streaming);
      return RESPONSE_ALREADY_SENT;
    },
    { overrideGlobalObjects: false, errorHandler: problemAnswer },
  );
  const inTurn = turnsOfConnections();
  return (expected) => (incoming, outgoing) => {
    for (const [name, value] of Object.entries(answerHeaders)) outgoing.setHeader(name, value);
    const passed = expected === "unknown" ? unmet : parts.guard.check(incoming);
    const path = "path" in passed ? passed.path : "";
    const operation = operationOf(incoming.method ?? "", path);
    observe(parts, { incoming, outgoing, operation, reason: "path" in passed ? null : passed.reason });
    if (!("path" in passed)) return sendProblem(outgoing, passed.error, { connection: "close" });
    for (const [name, value] of Object.entries(passed.headers)) outgoing.setHeader(name, value);
    if (isAnsweredHere(parts, { incoming, outgoing, passed })) return;
    inTurn(incoming.socket, outgoing, () => {
      if (expected === "continue") outgoing.writeContinue();
      void serve(incoming, outgoing);
    });
  };
}

/** How many requests of one connection may wait for their turn. */
const waitingMax = 256;

/**
 * Requests that come on one connection before the first is answered begin one after the other: who asks for much and reads nothing
 * of it gets nothing done. Where too many wait the connection is ended.
 */
function turnsOfConnections(): (socket: Socket, outgoing: ServerResponse, act: () => void) => void {
  const turns = new WeakMap<Socket, { latest: ServerResponse; waiting: number }>();
  return (socket, outgoing, act) => {
    const turn = turns.get(socket);
    const before = turn?.latest;
    if (turn === undefined) turns.set(socket, { latest: outgoing, waiting: 0 });
    else turn.latest = outgoing;
    if (turn === undefined || before === undefined || before.writableFinished || before.destroyed)
      return act();
    if (++turn.waiting > waitingMax) return void socket.destroy();
    before.once("close", () => {
      turn.waiting--;
      if (!socket.destroyed) act();
    });
  };
}

// Node itself would refuse it without a word, and without the headers of every answer.
const unmet: Refused = {
  reason: "headers",
  error: new RequestRefusedError(
    "Cannot serve the request as its Expect must be 100-continue: got another one",
    417,
  ),
};

function isAnsweredHere(
  parts: RequestParts,
  at: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse; readonly passed: Passed },
): boolean {
  const { outgoing, passed } = at;
  if (passed.isPreflight) {
    outgoing.writeHead(204);
    outgoing.end();
  } else if (isSystemPath(passed.path)) void answerSystem(passed.path, at, parts.system);
  else if (parts.isDraining())
    sendProblem(outgoing, drainingError(), { connection: "close", "retry-after": "1" });
  else return false;
  return true;
}

function drainingError(): RequestRefusedError {
  const message =
    "Cannot serve the request as the server must not be closing: it is, try another one or later";
  return new RequestRefusedError(message, 503);
}

interface Observed {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly operation: string | null;
  /** Why the guard refused it; null where it did not. */
  readonly reason: RefusalReason | null;
}

function observe(parts: RequestParts, { incoming, outgoing, operation, reason }: Observed): void {
  const { clock, figures } = parts;
  const { socket } = incoming;
  const remote = bare(socket.remoteAddress ?? "");
  const beganMs = clock.monotonic();
  const isDraining = parts.isDraining();
  const end = parts.begin(socket);
  outgoing.once("close", () => {
    end();
    const status = outgoing.headersSent ? outgoing.statusCode : 0;
    figures.answered(
      operation ?? "other",
      outgoing.writableFinished ? status : 0,
      clock.monotonic() - beganMs,
    );
    const refusal = reason ?? (isDraining && status === 503 ? "draining" : reasonOfStatus(status));
    if (refusal !== null) parts.refuse({ reason: refusal, status, operation, remote });
  });
}

// What the operations themselves do not answer: an address that is none, or a mistake of ours, of which nothing is told.
function problemAnswer(error: unknown): Response {
  const isRefused = error instanceof RequestError;
  const answer = isRefused
    ? new RequestRefusedError("Cannot serve the request as its address must be well-formed: it is not", 400)
    : new VivariumError("INTERNAL", "Cannot answer as something broke inside the server");
  const { status, body } = problemOf(answer);
  return new Response(body, { status, headers: { "content-type": problemContentType } });
}
