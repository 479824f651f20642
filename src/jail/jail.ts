// The jail of one runtime: decides once which layers are used, starts processes inside them, and reports which hold.
import { VivariumError } from "../model/errors.ts";
import type { Clock } from "../std/clock.ts";
import type { Kernel } from "../std/kernel.ts";
import type { Spawner, User } from "./spawn/child.ts";
import type { JailLayer, JailReport } from "./layers.ts";
import type { Paths } from "./landlock.ts";
import { makePlainSpawner } from "./spawn/plain-spawner.ts";
import { planLayers, type JailWishes } from "./plan.ts";
import { Headroom } from "./spawn/headroom.ts";
import { lookAtSystem, nodePaths, openKernel } from "./system.ts";
import { ThreadSpawner } from "./spawn/thread-spawner.ts";

export interface JailSettings extends JailWishes {
  /** Layers without which nothing may start. */
  readonly require: readonly JailLayer[];
  /** The user that the processes run as when the orchestrator is root. */
  readonly user: User;
}

export interface JailParts {
  readonly clock: Clock;
  readonly starterUrl: URL;
  /** What any user must be able to read for processes to start as another. */
  readonly programs: readonly string[];
}

export class Jail {
  readonly #settings: JailSettings;
  readonly #parts: JailParts;
  readonly #kernel: Kernel | undefined;
  readonly #spawners: Spawner[] = [];
  readonly #room = new Headroom();
  /** The layers that are planned. Which of them hold is known once a process has reported it. */
  readonly plan: JailReport;

  /** Throws `JAIL_INCOMPLETE` when a required layer is not available here. */
  constructor(settings: JailSettings, parts: JailParts) {
    this.#settings = settings;
    this.#parts = parts;
    this.#kernel = openKernel();
    this.plan = planLayers(lookAtSystem(this.#kernel, parts.programs), settings);
    const objection = this.objectionTo(this.plan);
    if (objection !== undefined) throw new VivariumError("JAIL_INCOMPLETE", `Cannot start as ${objection}`);
  }

  /** Which required layers are not among those, in words; undefined when all are. */
  objectionTo({ layers, missing }: JailReport): string | undefined {
    const absent = this.#settings.require.filter((layer) => !layers.includes(layer));
    if (absent.length === 0) return undefined;
    const reasons = absent.map((layer) => {
      return `${layer} (${missing.find((each) => each.layer === layer)?.why ?? "it was not asked for"})`;
    });
    return `jail.require names layers that do not stand here: ${reasons.join("; ")}`;
  }

  has(layer: JailLayer): boolean {
    return this.plan.layers.includes(layer);
  }

  /** Which layers hold, given those that a process reported. */
  reportFrom(held: readonly JailLayer[]): JailReport {
    const fallen = this.plan.layers.filter((layer) => !held.includes(layer));
    const why = "the process could not put it on";
    return {
      layers: held.filter((layer) => this.has(layer)),
      missing: [...this.plan.missing, ...fallen.map((layer) => ({ layer, why }))],
    };
  }

  /** Starts processes with these layers, which may use these paths beside those that Node itself needs. */
  spawnerFor(paths: Partial<Paths>, layers: readonly JailLayer[] = this.plan.layers): Spawner {
    const user = layers.includes("user") ? this.#settings.user : undefined;
    const kernel = this.has("filter") || this.has("landlock") ? this.#kernel : undefined;
    const spawner = kernel
      ? this.#threadSpawner(kernel, merge(nodePaths(), paths), user)
      : makePlainSpawner(this.#parts.clock, user, this.#room);
    this.#spawners.push(spawner);
    return spawner;
  }

  async close(): Promise<void> {
    await Promise.all(this.#spawners.map((spawner) => spawner.close()));
  }

  #threadSpawner(kernel: Kernel, paths: Paths, user: User | undefined): Spawner {
    return new ThreadSpawner({
      clock: this.#parts.clock,
      kernel,
      programUrl: this.#parts.starterUrl,
      data: { layers: this.plan.layers, paths, user },
      room: this.#room,
    });
  }
}

function merge(first: Paths, second: Partial<Paths>): Paths {
  return {
    read: [...first.read, ...(second.read ?? [])],
    execute: [...first.execute, ...(second.execute ?? [])],
    write: [...first.write, ...(second.write ?? [])],
  };
}
