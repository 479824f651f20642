// The options of `vivarium serve`, and what they are for the server.
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { RuntimeOptions } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import type { TokenSpec } from "../../server/access/token-specs.ts";
import type { ListenOptions } from "../../server/listening/options.ts";
import type { Given } from "../command/given.ts";
import { addOption, file, folder, integer, repeated, text, word } from "../command/options.ts";
import { readNamed } from "../places.ts";
import { limit, limitsOf } from "../run/spec-options.ts";

const metricsWords = ["token", "public", "off"] as const;
const usualPort = 7420;
const usualDrainMs = 30_000;

export function addServeOptions(command: Command): void {
  addOption(
    command,
    ["--host <ADDRESS>", "where to listen (default: 127.0.0.1, this machine alone)"],
    text(),
  );
  addOption(
    command,
    ["--port <N>", `its port, 0 for any that is free (default: ${usualPort})`],
    integer(0, 65_535),
  );
  addOption(command, ["--tls-key <FILE>", "the key of its certificate, in PEM"], file());
  addOption(command, ["--tls-cert <FILE>", "its certificate, in PEM"], file());
  const ofPublic = "other machines may reach it without TLS, as behind a proxy that has it";
  addOption(command, ["--public-without-tls", ofPublic]);
  addOption(
    command,
    ["--allowed-host <NAME>", "another name under which it is asked; may be repeated"],
    repeated(text()),
  );
  addOption(
    command,
    ["--origin <URL>", "web pages of this origin may use it; may be repeated"],
    repeated(text()),
  );
  const ofTokens =
    "who may do what: a list of tokens as JSON (default: one for everything, made up and printed once)";
  addOption(command, ["--tokens <FILE>", ofTokens], text());
  addOption(
    command,
    ["--metrics <WHO>", "who may read /metrics: token (default), public or off"],
    word(metricsWords),
  );
  addOption(command, ["--open", "opens the dashboard in a browser"]);
  const ofDrain = `how long requests may go on when it is asked to end (default: ${usualDrainMs})`;
  addOption(command, ["--drain-ms <N>", ofDrain], integer(0, 86_400_000));
  addRuntimeOptions(command);
}

function addRuntimeOptions(command: Command): void {
  const group = "The runtime:";
  addOption(
    command,
    ["--data <DIR>", "what it has lives in this folder, also after a restart", group],
    folder(),
  );
  addOption(command, ["--profile <NAME>", "the security profile of sandboxes that name none", group], text());
  const ofLimit = "a limit of every sandbox, as memoryBytes=33554432; may be repeated";
  addOption(command, ["--limit <NAME=NUMBER>", ofLimit, group], repeated(limit));
}

export function runtimeOptionsOf(given: Given): RuntimeOptions {
  const [data, profile, limits] = [given.text("data"), given.text("profile"), limitsOf(given)];
  return {
    ...(data === undefined ? {} : { data }),
    ...(profile === undefined ? {} : { profile }),
    ...(limits === undefined ? {} : { limits }),
  };
}

export function listenOptionsOf(given: Given): ListenOptions {
  const [host, metrics] = [given.text("host"), given.text("metrics") as ListenOptions["metrics"]];
  const tls = tlsOf(given);
  return {
    port: given.number("port") ?? usualPort,
    publicWithoutTls: given.flag("public-without-tls"),
    hosts: given.texts("allowed-host"),
    origins: given.texts("origin"),
    drainMs: given.number("drain-ms") ?? usualDrainMs,
    ...(host === undefined ? {} : { host }),
    ...(tls === undefined ? {} : { tls }),
    ...(metrics === undefined ? {} : { metrics }),
  };
}

function tlsOf(given: Given): ListenOptions["tls"] {
  const [key, cert] = [given.text("tls-key"), given.text("tls-cert")];
  if (key === undefined && cert === undefined) return undefined;
  if (key !== undefined && cert !== undefined) return { key: readFileSync(key), cert: readFileSync(cert) };
  const [name, other] = key === undefined ? ["tls-cert", "tls-key"] : ["tls-key", "tls-cert"];
  throw new InvalidOptionsError(`Cannot use --${name} as it must come with --${other}: got it alone`, name);
}

/** The list of the file, which its reader checks. The text of the file is not shown, as it has tokens. */
export function tokensOf(given: Given): readonly TokenSpec[] | undefined {
  const path = given.text("tokens");
  if (path === undefined) return undefined;
  const content = readNamed("--tokens", path);
  try {
    const value: unknown = JSON.parse(content);
    if (Array.isArray(value)) return value as readonly TokenSpec[];
  } catch {
    // Told as what is no list.
  }
  throw new InvalidOptionsError(
    `Cannot use --tokens ${show(path)} as it must be a list of tokens as JSON: it is not`,
    "tokens",
  );
}
