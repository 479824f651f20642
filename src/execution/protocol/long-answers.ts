// Long answers of runs travel beside their report, as they are.
import { FrameError, toFrame, toFrameWithTexts } from "../../std/frames.ts";
import { quickWidth, type DoneReport } from "./messages.ts";

/** From this length on an answer travels beside its report. */
export const longAnswerLength = 16_384;

/** A report whose long answers follow it: `long` has the operations that they belong to, in their order. */
interface SplitReport extends DoneReport {
  readonly long: readonly number[];
}

/** The frame of a report. */
export function frameOfDone(report: DoneReport): Buffer {
  if (!report.quick.some(isLong) && !report.items.some(({ answer }) => isLong(answer)))
    return toFrame(report);
  const long: number[] = [];
  const texts: string[] = [];
  const without = <T extends number | string>(op: number, answer: T): T | "" => {
    if (typeof answer !== "string" || !isLong(answer) || !answer.isWellFormed()) return answer;
    long.push(op);
    texts.push(answer);
    return "";
  };
  const quick = report.quick.map((value, at, all) =>
    at % quickWidth === 1 ? without(Number(all[at - 1]), value) : value,
  );
  const items = report.items.map((item) => ({ ...item, answer: without(item.op, item.answer) }));
  if (texts.length === 0) return toFrame(report);
  return toFrameWithTexts({ ...report, quick, items, long } satisfies SplitReport, texts);
}

const isLong = (answer: number | string): boolean =>
  typeof answer === "string" && answer.length >= longAnswerLength;

/** A message with the texts that followed it; throws `FrameError` where they do not belong to it. */
export function withLongAnswers(message: unknown, texts: readonly string[]): unknown {
  if (texts.length === 0) return message;
  const { t, long, quick, items } = (message ?? {}) as Partial<Record<keyof SplitReport, unknown>>;
  const isSplit = t === "done" && Array.isArray(long) && Array.isArray(quick) && Array.isArray(items);
  if (!isSplit || long.length !== texts.length) throw new FrameError("texts follow a message that has none");
  const byOp = new Map<unknown, string>(long.map((op: unknown, index) => [op, texts[index] ?? ""]));
  if (byOp.size < texts.length) throw new FrameError("two texts belong to one operation");
  const take = (op: unknown, answer: unknown): unknown => {
    const text = answer === "" ? byOp.get(op) : undefined;
    if (text !== undefined) byOp.delete(op);
    return text ?? answer;
  };
  for (let at = 1; at < quick.length; at += quickWidth) quick[at] = take(quick[at - 1], quick[at]);
  for (const item of items as ({ op?: unknown; answer?: unknown } | null)[])
    if (typeof item === "object" && item !== null) item.answer = take(item.op, item.answer);
  if (byOp.size > 0) throw new FrameError("a text belongs to no answer");
  return message;
}
