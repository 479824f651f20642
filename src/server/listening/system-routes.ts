// What supervisors and monitors ask: whether the server is alive, whether it can be given work, and its figures.
import type { IncomingMessage, ServerResponse } from "node:http";
import { asVivariumError } from "../../model/errors.ts";
import { operations } from "../../contract/operations.ts";
import type { Runtime } from "../../index.ts";
import { prometheusContentType, prometheusText } from "../../telemetry/index.ts";
import { RequestRefusedError } from "../access/refusals.ts";
import type { Gate } from "../gate.ts";
import { sendProblem, sendText } from "./answers.ts";

export interface SystemParts {
  readonly runtime: Pick<Runtime, "health" | "metrics">;
  readonly gate: Pick<Gate, "authenticate" | "require">;
  readonly metrics: "token" | "public" | "off";
  readonly isDraining: () => boolean;
  /** The server's own figures, as text. */
  readonly figures: () => string;
}

const systemPaths: readonly string[] = ["/healthz", "/readyz", "/metrics"];

export function isSystemPath(path: string): boolean {
  return systemPaths.includes(path);
}

/** Statuses in which a runtime takes work: with fewer cells than it should have, and while the first ones start, it does. */
const readyStatuses: readonly string[] = ["ok", "starting", "degraded"];

/** Answers one of the paths of the system. */
export async function answerSystem(
  path: string,
  { incoming, outgoing }: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse },
  parts: SystemParts,
): Promise<void> {
  try {
    if (incoming.method !== "GET" && incoming.method !== "HEAD") {
      const message = "Cannot serve the request as its method must be GET: got another one";
      throw new RequestRefusedError(message, 405, { allow: "GET, HEAD" });
    }
    if (path === "/healthz") sendJson(outgoing, 200, { alive: true });
    else if (path === "/readyz") await answerReady(outgoing, parts);
    else await answerMetrics(incoming, outgoing, parts);
  } catch (error) {
    sendProblem(outgoing, asVivariumError(error));
  }
}

async function answerReady(outgoing: ServerResponse, { runtime, isDraining }: SystemParts): Promise<void> {
  const status = isDraining() ? "draining" : (await runtime.health()).status;
  const isReady = readyStatuses.includes(status);
  sendJson(outgoing, isReady ? 200 : 503, { ready: isReady, status });
}

async function answerMetrics(
  { headers }: IncomingMessage,
  outgoing: ServerResponse,
  { runtime, gate, metrics, figures }: SystemParts,
): Promise<void> {
  if (metrics === "off")
    throw new RequestRefusedError("Cannot serve the request as metrics must be on: they are off", 404);
  if (metrics === "token") {
    const { authorization } = headers;
    const own = new Headers(authorization === undefined ? {} : { authorization });
    const caller = gate.authenticate(new Request("http://localhost/metrics", { headers: own }));
    gate.require(caller, operations.getMetrics);
  }
  const body = `${await prometheusText(runtime)}${figures()}`;
  sendText(outgoing, { status: 200, type: prometheusContentType, body });
}

function sendJson(outgoing: ServerResponse, status: number, body: object): void {
  sendText(outgoing, { status, type: "application/json", body: JSON.stringify(body) });
}
