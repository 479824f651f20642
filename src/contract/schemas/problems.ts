// Errors on the wire, and the lines that streams of lines share.
import { z } from "@hono/zod-openapi";
import { errorCodes, type ErrorCode } from "../../model/errors.ts";
import { Diagnostic, GuestFailure, loadPhases, LogLine } from "./outcomes.ts";

export const codes = Object.keys(errorCodes) as readonly ErrorCode[];

export const Problem = z
  .object({
    type: z.string().openapi({ description: "`urn:vivarium:` and the code" }),
    title: z.string().openapi({ description: "the sentence of the code" }),
    status: z.number(),
    detail: z.string().openapi({ description: "the message" }),
    code: z.enum(codes),
    option: z.string().optional().openapi({ description: "the option that is wrong, as a path" }),
    limit: z.string().optional(),
    profile: z.string().optional(),
    sandboxId: z.string().optional(),
    sandboxStatus: z.string().optional(),
    phase: z.enum(loadPhases).optional(),
    diagnostics: z.array(Diagnostic).optional(),
    failure: GuestFailure.optional(),
    deadlineMs: z.number().optional(),
  })
  .openapi("Problem", { description: "an error as RFC 9457 says it, with a stable code" });

export const OutputLine = z.object({ type: z.literal("output"), line: LogLine }).openapi("OutputLine");
export const ErrorLine = z
  .object({ type: z.literal("error"), error: Problem })
  .openapi("ErrorLine", { description: "what went wrong once a stream of lines had begun" });
