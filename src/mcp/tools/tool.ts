// What a tool is: its schemas, what it promises, and what it does; and how its arguments are checked.
import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { operations, scopes, type OperationId, type Scope } from "../../contract/operations.ts";
import { VivariumError } from "../../model/errors.ts";
import type { Agent } from "../agent.ts";
import type { ToolAnswer } from "../results.ts";
import { readArguments } from "./arguments.ts";

/** What a tool may do while its call is under way. */
export interface ToolCall {
  /** Aborted when the client cancels, or when the call's time is over. */
  readonly signal: AbortSignal;
  /** Tells the client how far it is, if it wants to know. */
  readonly progress: (done: number, size: number, message: string) => void;
}

export interface ToolSpec<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What it stands for in the contract: that gives the scope it needs. */
  readonly operation: OperationId;
  readonly hints: { readonly destructive?: boolean; readonly idempotent?: boolean };
  readonly input: I;
  readonly output: O;
  readonly run: (agent: Agent, input: z.infer<I>, call: ToolCall) => Promise<ToolAnswer<z.infer<O>>>;
}

export interface Tool {
  readonly name: string;
  readonly scope: Scope;
  /** As it is listed. */
  readonly listed: ListedTool;
  /** Checks the arguments and carries it out. Throws what the caller did wrong. */
  call(agent: Agent, args: unknown, call: ToolCall): Promise<ToolAnswer>;
}

export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(spec: ToolSpec<I, O>): Tool {
  const { name, operation } = spec;
  const { scope } = operations[operation];
  let listed: ListedTool | undefined;
  return {
    name,
    scope,
    get listed() {
      return (listed ??= listOf(spec, scope));
    },
    async call(agent, args, call) {
      if (!includes(agent.owner.scope, scope))
        throw new VivariumError(
          "FORBIDDEN",
          `Cannot use ${name} as the token's scope must be ${scope}: it is ${agent.owner.scope}`,
        );
      const input = readArguments(spec.input, args, name);
      const run = (signal: AbortSignal): Promise<ToolAnswer> => spec.run(agent, input, { ...call, signal });
      return agent.calling(call.signal, run);
    },
  };
}

/** Whether one scope has all that another has. */
export function includes(own: Scope, wanted: Scope): boolean {
  return scopes.indexOf(own) >= scopes.indexOf(wanted);
}

function listOf<I extends z.ZodObject, O extends z.ZodObject>(
  spec: ToolSpec<I, O>,
  scope: Scope,
): ListedTool {
  const { name, title, description, hints, input, output } = spec;
  const readOnlyHint = scope === "read";
  return {
    name,
    title,
    description,
    // Of an object, as both are schemas of one.
    inputSchema: jsonSchemaOf(input, "input") as ListedTool["inputSchema"],
    outputSchema: jsonSchemaOf(output, "output") as NonNullable<ListedTool["outputSchema"]>,
    annotations: {
      title,
      readOnlyHint,
      ...(!readOnlyHint && { destructiveHint: hints.destructive ?? false }),
      idempotentHint: hints.idempotent ?? readOnlyHint,
      openWorldHint: false,
    },
  };
}

/** As short as it can be: a model reads all of them before it begins. */
function jsonSchemaOf(schema: z.ZodObject, io: "input" | "output"): object {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (io === "output" && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  return json;
}
