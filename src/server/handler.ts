// What a handler is given, and what it may answer: typed by the contract, so that no operation can be missing or answer otherwise.
import type { Bodies } from "../contract/bodies.ts";
import type { operations, OperationId } from "../contract/operations.ts";
import type { Runtime } from "../index.ts";
import type { Tracker } from "../evolution/index.ts";
import type { Clock } from "../std/clock.ts";
import type { Caller, Gate } from "./gate.ts";
import type { EventLog } from "./held/event-log.ts";
import type { Handles } from "./held/handles.ts";
import type { HeldSession } from "./held/held-session.ts";
import type { HeldStream } from "./held/held-stream.ts";
import type { EventLines, Lines } from "./http/lines.ts";
import type { Bounds } from "./options.ts";

/** What all requests share. */
export interface Parts {
  readonly runtime: Runtime;
  readonly tracker: () => Promise<Tracker>;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly bounds: Bounds;
  readonly streams: Handles<HeldStream>;
  readonly sessions: Handles<HeldSession>;
  readonly events: EventLog;
  readonly version: string;
}

/** The names in braces of an operation's path. */
type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
type Params<Id extends OperationId> = Readonly<Record<NamesIn<(typeof operations)[Id]["path"]>, string>>;
export type QueryOf<Id extends OperationId> = Bodies[Id] extends { query: infer Q } ? Q : undefined;
export type BodyOf<Id extends OperationId> = Bodies[Id] extends { body: infer B } ? B : undefined;

/** One request. */
export interface Asked<Id extends OperationId> {
  readonly parts: Parts;
  readonly caller: Caller;
  /** Aborted when the caller's connection is closed, or the server. */
  readonly signal: AbortSignal;
  readonly params: Params<Id>;
  readonly query: QueryOf<Id>;
  readonly body: BodyOf<Id>;
  /** The caller accepts an answer in lines, where there is one as a document too. */
  readonly wantsLines: boolean;
  readonly lastEventId: string | null;
}

/** A document, lines, or nothing. */
export type Answer<Id extends OperationId> = Id extends "events"
  ? EventLines
  : Bodies[Id] extends { answer: infer A; line: infer L }
    ? A | Lines<L>
    : Bodies[Id] extends { answer: infer A }
      ? A
      : Bodies[Id] extends { line: infer L }
        ? Lines<L>
        : void;

export type Handler<Id extends OperationId> = (asked: Asked<Id>) => Promise<Answer<Id>>;

/** The handlers of some operations. */
export type Handlers<Ids extends OperationId> = { readonly [Id in Ids]: Handler<Id> };
