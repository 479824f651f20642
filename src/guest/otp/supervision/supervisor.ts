// Supervisors: they start their children in order, restart those that exit, and give up when that happens too often. The
// rules are those of Erlang/OTP.
import { at, hasOwn } from "../../../model/wire/intrinsics.ts";
import { attach, pathOf, startChild, stopChild, toChild, type Child, type TreePosition } from "./child.ts";
import type { ProcessHost } from "../core.ts";
import { supervisorOf } from "../definitions.ts";
import { dropLast, forgetLastsBelow } from "../states/last-states.ts";
import { Chain } from "../chain.ts";
import type { Behaviour, Exit, Proc, Request } from "../proc.ts";
import { answer, begin, end, fail, newProc, noteTreeChange } from "../process.ts";
import { ProcessLimitReached, reasonOf, reasonText, reportProcess } from "../reasons.ts";
import { isReason, isRestarted } from "./restart.ts";
import type { ChildSpec, ExitReason, Strategy } from "../types.ts";

/** A request to a supervisor from inside the sandbox. */
export type SupervisorCall =
  | { readonly op: "start"; readonly spec: ChildSpec }
  | { readonly op: "stop" | "delete" | "restart"; readonly id: string }
  | { readonly op: "list" };

const restartsUsual = 3;
const windowMsUsual = 5_000;
const strategies = { "one-for-one": true, "one-for-all": true, "rest-for-one": true };

let host: ProcessHost;

export function connectSupervisors(given: ProcessHost): void {
  host = given;
}

/** Starts a supervisor with all its children; rejects with the reason when one of them cannot be started. */
export async function startSupervisor(
  key: string,
  position: TreePosition,
  dynamic: readonly ChildSpec[] = [],
): Promise<Proc> {
  const definition = supervisorOf(key);
  const strategy = definition.strategy ?? "one-for-one";
  if (!hasOwn(strategies, strategy))
    throw new TypeError(
      `Cannot start ${key} as its strategy must be one-for-one, one-for-all or rest-for-one`,
    );
  const proc = newProc(position.parent);
  const behaviour = new SupervisorBehaviour(proc, {
    key,
    strategy,
    restartsMax: definition.restartsMax ?? restartsUsual,
    windowMs: definition.windowMs ?? windowMsUsual,
  });
  proc.behaviour = behaviour;
  proc.isTrapping = true;
  try {
    attach(proc, position);
    await behaviour.startAll(definition.children, dynamic);
  } catch (error) {
    await behaviour.stopAll();
    end(proc, "shutdown");
    throw error;
  }
  // Of children that were added before and are no longer there.
  forgetLastsBelow(position.path);
  begin(proc);
  return proc;
}

interface Rules {
  readonly key: string;
  readonly strategy: Strategy;
  readonly restartsMax: number;
  readonly windowMs: number;
}

export class SupervisorBehaviour implements Behaviour {
  readonly kind = "supervisor";
  readonly rules: Rules;
  readonly #proc: Proc;
  #children = new Chain<Child>();
  #restartsAt = new Chain<number>();
  #isRestarting = false;
  /** Why it gave up, down to the exit reason of the first child. */
  cause = "";

  constructor(proc: Proc, rules: Rules) {
    this.#proc = proc;
    this.rules = rules;
  }

  get children(): Chain<Child> {
    return this.#children;
  }

  async startAll(specs: readonly ChildSpec[], dynamic: readonly ChildSpec[]): Promise<void> {
    for (let i = 0; i < specs.length; i++) await this.#add(toChild(at(specs, i), false));
    for (let i = 0; i < dynamic.length; i++) await this.#add(toChild(at(dynamic, i), true));
  }

  /** Last started, first stopped. */
  stopAll(): Promise<void> {
    return this.#stopInReverse(this.#children);
  }

  isReady(): boolean {
    return true;
  }

  ended(): void {}

  isRestarting(): boolean {
    let isRestarting = this.#isRestarting;
    this.#proc.mailbox.each(({ kind }) => {
      isRestarting ||= kind === "exit";
    });
    return isRestarting;
  }

  take(): unknown {
    const envelope = this.#proc.mailbox.shift();
    if (envelope === undefined) return undefined;
    this.#proc.messages++;
    switch (envelope.kind) {
      case "exit":
        return this.#childEnded(envelope.content);
      case "call":
        return this.#serve(envelope.content.message as SupervisorCall, envelope.content.request);
      case "stop":
        return this.#stop(envelope.content);
      default:
        return undefined;
    }
  }

  async #add(child: Child): Promise<void> {
    if (this.#find((other) => other.id === child.id) !== undefined)
      throw new RangeError(`Cannot add child "${child.id}" as there is one of this id`);
    await startChild(child, this.#proc);
    this.#children.push(child);
  }

  #find(isWanted: (child: Child) => boolean): Child | undefined {
    let found: Child | undefined;
    this.#children.each((child) => {
      if (found === undefined && isWanted(child)) found = child;
    });
    return found;
  }

  async #childEnded({ from, reason }: Exit): Promise<void> {
    const child = from === undefined ? undefined : this.#find(({ proc }) => proc === from);
    // From its own parent, or from a process that a guest linked to it.
    if (child === undefined || from === undefined)
      return from !== undefined && from === this.#proc.parent ? this.#stop(reason) : undefined;
    child.proc = undefined;
    if (!isRestarted(child, reason)) {
      if (child.restart === "temporary") this.#forget(child);
      return;
    }
    this.#isRestarting = true;
    try {
      await this.#restart(child, exitText(from, reason));
    } finally {
      this.#isRestarting = false;
    }
  }

  // Repeats until all are started or the limit of restarts is reached.
  async #restart(child: Child, cause: string): Promise<void> {
    let why = cause;
    for (;;) {
      if (this.#isTooOften()) return this.#giveUp(child, why);
      try {
        await this.#restartAffected(child);
        return;
      } catch (error) {
        why = reasonText(isReason(error) ? error : reasonOf(error));
      }
    }
  }

  async #restartAffected(failed: Child): Promise<void> {
    const { strategy } = this.rules;
    if (strategy === "one-for-one") return this.#startAgain(failed);
    const affected = new Chain<Child>();
    let isAfter = strategy === "one-for-all";
    this.#children.each((child) => {
      isAfter ||= child === failed;
      if (isAfter) affected.push(child);
    });
    await this.#stopInReverse(affected);
    await this.#startInOrder(affected, failed);
  }

  async #stopInReverse(children: Chain<Child>): Promise<void> {
    const line = new Chain<Child>();
    children.eachBackwards((child) => line.push(child));
    for (let child = line.shift(); child !== undefined; child = line.shift())
      await stopChild(child, this.#proc);
  }

  // A temporary child that was stopped with the others is not restarted.
  async #startInOrder(affected: Chain<Child>, failed: Child): Promise<void> {
    for (let child = affected.shift(); child !== undefined; child = affected.shift()) {
      if (child.restart === "temporary" && child !== failed) this.#forget(child);
      else await this.#startAgain(child);
    }
  }

  async #startAgain(child: Child): Promise<void> {
    child.restarts++;
    await startChild(child, this.#proc);
    if (child.proc !== undefined) reportProcess("restarted", child.proc, { restarts: child.restarts });
  }

  #isTooOften(): boolean {
    const nowMs = host.now();
    this.#restartsAt.push(nowMs);
    const recent = new Chain<number>();
    this.#restartsAt.each((at) => {
      if (nowMs - at <= this.rules.windowMs) recent.push(at);
    });
    this.#restartsAt = recent;
    return recent.size > this.rules.restartsMax;
  }

  async #giveUp(child: Child, why: string): Promise<void> {
    const { restartsMax, windowMs, key } = this.rules;
    this.cause = `${key} gave up after more than ${restartsMax} restarts within ${windowMs} ms, as "${child.id}" ended: ${why}`;
    await this.stopAll();
    // A restarted supervisor begins without the last states of its children, as they led to this.
    forgetLastsBelow(this.#proc.path ?? "");
    end(this.#proc, "shutdown");
  }

  async #stop(reason: ExitReason): Promise<void> {
    await this.stopAll();
    end(this.#proc, reason);
  }

  async #serve(message: SupervisorCall, request: Request): Promise<void> {
    try {
      answer(request, await this.#execute(message));
    } catch (error) {
      const systemReason = ProcessLimitReached.is(error) ? "processes" : undefined;
      fail(request, isReason(error) ? error : reasonOf(error), systemReason);
    }
  }

  async #execute(message: SupervisorCall): Promise<unknown> {
    if (message.op === "list") return this.#list();
    if (message.op === "start") {
      const child = toChild(message.spec, true);
      await this.#add(child);
      return child.proc?.pid;
    }
    const child = this.#find(({ id }) => id === message.id);
    if (child === undefined) throw new RangeError(`Cannot find child "${message.id}"`);
    if (message.op === "stop") await stopChild(child, this.#proc);
    else if (child.proc !== undefined)
      throw new RangeError(`Cannot ${message.op} child "${child.id}" as it must be stopped first`);
    else if (message.op === "delete") this.#forget(child);
    else await startChild(child, this.#proc);
    if (message.op === "stop" && child.restart === "temporary") this.#forget(child);
    return child.proc?.pid ?? true;
  }

  #list(): object[] {
    const list: object[] = [];
    this.#children.each((child) => {
      list.push({
        id: child.id,
        pid: child.proc?.pid ?? null,
        restart: child.restart,
        dynamic: child.isDynamic,
      });
    });
    return list;
  }

  #forget(child: Child): void {
    this.#children.take((other) => other === child);
    const path = pathOf(child, this.#proc);
    dropLast(path);
    forgetLastsBelow(path);
    noteTreeChange();
  }
}

/** Why a process exited; for a supervisor that gave up, with the first cause. */
export function exitText({ behaviour }: Proc, reason: ExitReason): string {
  const cause = behaviour instanceof SupervisorBehaviour ? behaviour.cause : "";
  return cause === "" ? reasonText(reason) : cause;
}
