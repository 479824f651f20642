// The thread that writes a data folder: what has arrived is one group, and what gathers while it is committed is the next.
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { asVivariumError } from "../../model/errors.ts";
import { assert } from "../../std/assert.ts";
import { afterTurn, systemClock } from "../../std/clock.ts";
import type { StoreRequest, WriterMessage, WriterOptions, WriterReport } from "./requests.ts";
import { Writer } from "./writer.ts";

/** What nobody waits for begins so much later, so that more of it is done at once. */
const pauseMs = 20;
/** So often what nobody waits for may wait for requests. */
const idleWaitsMax = 20;

assert(parentPort !== null, "the writer is a thread");
const port = parentPort;
let isIdleDue = false;
let isClosed = false;
let idleWaits = 0;

const writer = start();
if (writer !== undefined) {
  port.on("message", (messages: readonly WriterMessage[]) => work(writer, messages));
  send({ kind: "opened" });
  awaitIdle(writer);
}

function start(): Writer | undefined {
  try {
    return new Writer(workerData as WriterOptions);
  } catch (error) {
    const { code, message } = asVivariumError(error);
    send({ kind: "refused", code, message });
    port.close();
    return undefined;
  }
}

function work(writer: Writer, first: readonly WriterMessage[]): void {
  const requests: StoreRequest[] = [];
  let isClosing = false;
  for (
    let messages: readonly WriterMessage[] | undefined = first;
    messages !== undefined;
    messages = received()
  )
    for (const message of messages)
      if (message.kind === "store-artifact") writer.addArtifact(message);
      else if (message.kind === "compact") writer.compact((report) => send({ kind: "compacted", report }));
      else if (message.kind === "close") isClosing = true;
      else requests.push(message);
  if (requests.length > 0) send({ kind: "answers", ...writer.run(requests) });
  if (isClosing) close(writer);
  else awaitIdle(writer);
}

function received(): readonly WriterMessage[] | undefined {
  return receiveMessageOnPort(port)?.message as readonly WriterMessage[] | undefined;
}

function awaitIdle(writer: Writer): void {
  if (isIdleDue || !writer.hasIdleWork) return;
  isIdleDue = true;
  systemClock.after(pauseMs, () => idle(writer));
}

// A little at a time, as long as nothing arrives.
function idle(writer: Writer): void {
  isIdleDue = false;
  if (isClosed) return;
  const messages = received();
  if (messages !== undefined && ++idleWaits < idleWaitsMax) return work(writer, messages);
  idleWaits = 0;
  const count = writer.idle();
  if (count > 0) send({ kind: "artifacts", count });
  if (messages !== undefined) return work(writer, messages);
  if (!writer.hasIdleWork) return;
  isIdleDue = true;
  afterTurn(() => idle(writer));
}

function close(writer: Writer): void {
  isClosed = true;
  writer.close();
  send({ kind: "closed" });
  port.close();
}

function send(report: WriterReport): void {
  port.postMessage(report);
}
