// What can be read of an agent's sandboxes: their info, their logs, and each version of their sources.
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type {
  CompleteRequestParams,
  CompleteResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
} from "@modelcontextprotocol/server";
import type { SandboxInfo } from "../../index.ts";
import { VivariumError } from "../../model/errors.ts";
import type { Agent } from "../agent.ts";
import { pageOf } from "../pages.ts";
import { sentenceOf } from "../results.ts";
import { viewSandbox } from "../shapes/sandbox.ts";
import { clean, shown } from "../text.ts";
import { addressOf, mimeTypeOf, nameOf, readAddress, templates, type Address } from "./addresses.ts";

/** How many sandboxes a page has, each with all of its resources. */
const sandboxesPerPage = 50;
const modulesListedMax = 20;

export async function listResources(agent: Agent, start: number): Promise<ListResourcesResult> {
  const { items, nextCursor } = pageOf(await agent.list(), start, sandboxesPerPage);
  const resources = items.flatMap((info) => resourcesOf(info));
  return { resources, ...(nextCursor !== undefined && { nextCursor }) };
}

function resourcesOf({ id, modules, status }: SandboxInfo): readonly Resource[] {
  const sources = Object.keys(modules)
    .slice(0, modulesListedMax)
    .map((module) => resourceOf({ kind: "source", id, module }, `Source of ${module}`));
  return [
    resourceOf({ kind: "info", id }, `A sandbox that is ${status}`),
    resourceOf({ kind: "logs", id }, "Its console lines"),
    ...sources,
  ];
}

function resourceOf(address: Address, description: string): Resource {
  return { uri: addressOf(address), name: nameOf(address), description, mimeType: mimeTypeOf(address) };
}

export const templateList: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      name: "sandbox",
      uriTemplate: templates.info,
      description: "All that is known of a sandbox",
      mimeType: "application/json",
    },
    {
      name: "logs",
      uriTemplate: templates.logs,
      description: "Its console lines, oldest first",
      mimeType: "text/plain",
    },
    {
      name: "source",
      uriTemplate: templates.source,
      description: "The source of a module as it is now",
      mimeType: "text/plain",
    },
    {
      name: "version",
      uriTemplate: templates.version,
      description: "The source of a version of a module",
      mimeType: "text/plain",
    },
  ],
};

/** Throws a protocol error: a resource has no other form of failure. */
export async function readResource(agent: Agent, uri: string): Promise<ReadResourceResult> {
  const address = readAddress(uri);
  if (address === undefined) throw new ResourceNotFoundError(clean(uri.slice(0, 200)));
  try {
    const text = await textOf(agent, address);
    return { contents: [{ uri, mimeType: mimeTypeOf(address), text }] };
  } catch (error) {
    if (error instanceof VivariumError && missing.has(error.code))
      throw new ResourceNotFoundError(clean(uri.slice(0, 400)));
    throw new ProtocolError(ProtocolErrorCode.InternalError, sentenceOf(error, agent.config.onError));
  }
}

const missing = new Set<string>(["SANDBOX_NOT_FOUND", "VERSION_NOT_FOUND", "INVALID_ID", "INVALID_OPTIONS"]);

async function textOf(agent: Agent, address: Address): Promise<string> {
  const { resourceChars } = agent.config.bounds;
  if (address.kind === "info")
    return JSON.stringify(viewSandbox(await agent.info(address.id), agent), null, 2);
  if (address.kind === "source")
    return shown(await (await agent.get(address.id)).source(address.module, address.version), resourceChars);
  const lines = await agent.about(address.id, (id) => agent.runtime.logs(id));
  return latestOf(
    lines.map(({ level, text, at }) => `${new Date(at).toISOString()} ${level} ${clean(text)}`),
    resourceChars,
  );
}

/** As many of the latest lines as there is room for. */
function latestOf(lines: readonly string[], max: number): string {
  const kept: string[] = [];
  let room = max;
  for (const line of lines.toReversed()) {
    room -= line.length + 1;
    if (room < 0) break;
    kept.unshift(line);
  }
  const omitted = lines.length - kept.length;
  return [...(omitted === 0 ? [] : [`… [${omitted} earlier lines are left out]`]), ...kept].join("\n");
}

const completionsMax = 100;

/** What a variable of a template may be: the agent's own ids, modules and versions. */
export async function complete(
  agent: Agent,
  { ref, argument, context }: CompleteRequestParams,
): Promise<CompleteResult> {
  if (ref.type !== "ref/resource" || !(Object.values(templates) as string[]).includes(ref.uri))
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      "Cannot complete this as it must be a variable of one of the resource templates",
    );
  const all = await choicesFor(agent, argument.name, context?.arguments ?? {});
  const { prefix } = agent.owner;
  const found = all.filter(
    (one) => one.startsWith(argument.value) || one.startsWith(`${prefix}${argument.value}`),
  );
  const values = found.slice(0, completionsMax);
  return { completion: { values, total: found.length, hasMore: found.length > values.length } };
}

async function choicesFor(
  agent: Agent,
  name: string,
  given: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  if (name === "id") return (await agent.list()).map(({ id }) => id);
  const { id, module } = given;
  if (id === undefined) return [];
  try {
    const sandbox = await agent.get(id);
    if (name === "module") return Object.keys((await sandbox.info()).modules);
    return name === "version" && module !== undefined ? (await sandbox.versions(module)).map(String) : [];
  } catch (error) {
    if (error instanceof VivariumError) return [];
    throw error;
  }
}
