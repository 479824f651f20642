// The tables about the HTTP API: its operations and its errors.
import { operationList, type AnswerForm, type Operation } from "../../src/contract/operations.ts";
import { statusOfCode } from "../../src/contract/problem.ts";
import { errorCodes, type ErrorCode } from "../../src/model/errors.ts";
import type { Table } from "./markdown.ts";

const code = (text: string): string => `\`${text}\``;
const answers: Readonly<Record<AnswerForm, string>> = {
  json: "JSON",
  lines: "lines",
  either: "JSON or lines",
  events: "events",
  none: "nothing",
};

export function operationTable(): Table {
  const rows = operationList.map(([id, operation]) => [
    code(`${operation.method} ${operation.path}`),
    operation.about,
    `${operation.scope}${operation.wholeRuntime === true ? ", no tenant" : ""}`,
    `${statusOf(operation)} ${answers[operation.answer]}`,
    code(id),
  ]);
  return [["request", "what it does", "scope", "answer", "`operationId`"], ...rows];
}

function statusOf({ status, answer }: Operation): number {
  return status ?? (answer === "none" ? 204 : 200);
}

/** Every code, by status. */
export function httpErrorTable(): Table {
  const rows = Object.entries(statusOfCode)
    .toSorted(([, one], [, other]) => one - other)
    // The table has a status for each code and for nothing else.
    .map(([name, status]) => [String(status), code(name), errorCodes[name as ErrorCode]]);
  return [["status", "`code`", "meaning"], ...rows];
}
