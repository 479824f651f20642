// Processes in a simulated cell: messages to the server, questions about it, and new code for it.
import type {
  Command,
  ManageCommand,
  ReloadCommand,
  RunGroup,
} from "../../src/execution/protocol/messages.ts";
import { askOf, loadActOf, nothing, type Act } from "./fake-acts.ts";
import { evaluated, type Activity, type FakeBox } from "./fake-box.ts";
import type { FakeHost } from "./fake-host.ts";

/** States that the host migrated itself, and the name under which it had the servers held back. */
interface Given {
  readonly hold: string;
  readonly states: readonly { readonly state: string }[];
}

const answering = (answer: () => string, spinMs = 0): Act => ({
  spinMs,
  isHard: false,
  end: { do: "answer", answer },
});

/** A message to the server. One that takes long is begun with and answered later. */
export function tell(
  host: FakeHost,
  box: FakeBox,
  told: { readonly group: RunGroup; readonly op: number; readonly token: string },
): void {
  const { group, op, token } = told;
  const { lane, timeoutMs } = group;
  const activity: Activity = { op, kind: "tell", lane, timeoutMs, token, startedMs: 0 };
  const isKnown = group.export === "counter";
  const count = askOf(box, token);
  const answer = (): string => {
    if (!isKnown) return `D${JSON.stringify(["noproc", "there is none", "", "", ""])}`;
    const text = count();
    return group.tell === "send" ? nothing : text;
  };
  const isSlow = token.endsWith("slow");
  host.begin(box, activity, () => {
    if (!isSlow && !box.areServersHeld) return answering(answer);
    box.taken.add(op);
    const later = (): string => {
      box.taken.delete(op);
      return answer();
    };
    return { spinMs: 0, isHard: false, end: { do: "wait", forMs: 120, answer: later } };
  });
}

/** A question about processes, or a wish. */
export function manage(host: FakeHost, box: FakeBox, command: ManageCommand): void {
  const { op, budgetMs, verb, second } = command;
  const activity: Activity = {
    op,
    kind: "manage",
    lane: "async",
    timeoutMs: budgetMs,
    token: "",
    startedMs: 0,
  };
  host.begin(box, activity, () =>
    answering(() => {
      if (verb === "hold") {
        box.areServersHeld = true;
        box.heldAs = second;
      }
      return JSON.stringify(box.told(verb));
    }),
  );
}

/** New code, beside the old until it is settled. */
export function reload(host: FakeHost, box: FakeBox, command: ReloadCommand): void {
  const { op, budgetMs, modules, states } = command;
  const activity: Activity = {
    op,
    kind: "reload",
    lane: command.lane,
    timeoutMs: budgetMs,
    token: "",
    startedMs: 0,
  };
  const next = evaluated(modules);
  host.begin(box, activity, () => {
    const act = loadActOf(next.program.loading, host.parts.dice);
    const phase = (before: () => number | string) => (): number | string => {
      const answer = before();
      if (!String(answer).startsWith("V")) return answer;
      if (box.hasProcesses && states === "" && next.program.refusesState)
        return `M${JSON.stringify(["Error", "Cannot migrate the state of counter", ""])}`;
      const read = states === "" ? undefined : (JSON.parse(states) as Given);
      if (read !== undefined && (!box.areServersHeld || read.hold !== box.heldAs))
        return `M${JSON.stringify(["ReferenceError", "it was read in an isolate that is no more", ""])}`;
      const given = read?.states[0];
      const state = given === undefined ? box.state : Number(JSON.parse(given.state));
      box.prepared = { ...next, state, way: given === undefined ? "kept" : "host" };
      box.areServersHeld = true;
      return answer;
    };
    const { end } = act;
    return end.do === "answer" || end.do === "wait"
      ? { ...act, end: { ...end, answer: phase(end.answer) } }
      : act;
  });
}

/** The end of a reload, for good or for nothing. */
export function settle(host: FakeHost, box: FakeBox, command: Extract<Command, { t: "settle" }>): void {
  const { op, isCommitted } = command;
  const { prepared } = box;
  const { dice, trouble } = host.parts;
  if (isCommitted && prepared === undefined) {
    host.completions.gone(op);
    return host.completions.next(box);
  }
  const isBroken = !isCommitted && trouble.strikes("guilt", dice, 0.05);
  if (isBroken) {
    box.isLost = true;
    host.completions.gone(op);
    return host.completions.loseRest(box, "memory");
  }
  if (isCommitted && prepared !== undefined) {
    if (box.hasProcesses) box.state = prepared.state;
    box.current = { program: prepared.program, number: prepared.number, count: prepared.count };
  }
  box.prepared = undefined;
  host.completions.releaseServers(box);
  const activity: Activity = { op, kind: "manage", lane: "async", timeoutMs: 0, token: "", startedMs: 0 };
  host.completions.finish(box, activity, { verdict: "answered", answer: "" });
  host.completions.next(box);
}
