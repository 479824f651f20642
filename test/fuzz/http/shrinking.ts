// Makes a request that shows a fault shorter, for as long as it shows the same one.
import { isRecord, placesIn, put, at } from "./breaks.ts";
import type { Plan } from "./requests.ts";
import { bodyOf, addressOf } from "./sending.ts";

const triesMax = 300;

/** The shortest request found for which `fails` still holds. */
export async function shortest(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let best = plan;
  let tries = 0;
  for (let found = true; found && tries < triesMax;) {
    found = false;
    for (const shorter of shorterOf(best)) {
      if (++tries > triesMax) break;
      if (!(await fails(shorter))) continue;
      best = shorter;
      found = true;
      break;
    }
  }
  return best;
}

function* shorterOf(plan: Plan): Generator<Plan> {
  const { cut, headers, query, body } = plan;
  if (cut !== undefined) {
    const { cut: _, ...rest } = plan;
    yield rest;
  }
  for (const name of Object.keys(headers)) {
    const { [name]: _, ...rest } = headers;
    yield { ...plan, headers: rest };
  }
  for (const index of query.keys()) yield { ...plan, query: query.toSpliced(index, 1) };
  if (body === undefined) return;
  if ("text" in body) {
    if (body.text.length > 1) yield { ...plan, body: { text: body.text.slice(0, body.text.length / 2) } };
    return;
  }
  for (const json of shorterValues(body.json)) yield { ...plan, body: { json } };
}

function* shorterValues(json: unknown): Generator {
  for (const place of placesIn(json)) {
    const found = at(json, place);
    const change = (value: unknown): unknown => put(structuredClone(json), place, value);
    if (isRecord(found))
      for (const name of Object.keys(found)) {
        const { [name]: _, ...rest } = found;
        yield change(rest);
      }
    else if (Array.isArray(found) && found.length > 0) {
      yield change(found.slice(0, found.length / 2));
      yield change(found.slice(1));
    } else if (typeof found === "string" && found.length > 8) yield change(found.slice(0, found.length / 2));
  }
}

/** A request as a line to read. */
export function shown(plan: Plan, lettersMax: number): string {
  const { who, method, kind, cut, headers, direct } = plan;
  const { authorization: _, ...others } = headers;
  const body = bodyOf(plan) ?? "";
  const whole = body.length > lettersMax ? `${body.slice(0, lettersMax)}… (${body.length})` : body;
  const how = [kind, direct ? "direct" : "", cut === undefined ? "" : `cut at ${cut}`]
    .filter(Boolean)
    .join(", ");
  return `${who} (${how}): ${method} ${addressOf(plan)} ${JSON.stringify(others)} ${whole}`;
}
