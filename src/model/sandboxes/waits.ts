// What the callers of a sandbox wait for, and what becomes of it where they give up.

export interface Wait {
  /** As in `Cannot … sandbox "x"`. */
  readonly verb: string;
  /** As in `Cannot finish … of sandbox "x"`. */
  readonly noun: string;
  /** Given up, it is undone; else it goes on without its caller, or has changed nothing. */
  readonly isUndone: boolean;
}

export const waits = {
  reload: { verb: "reload", noun: "the reload", isUndone: true },
  rollback: { verb: "roll back", noun: "the rollback", isUndone: true },
  replay: { verb: "replay a run of", noun: "the replay of a run", isUndone: false },
  processes: { verb: "describe the processes of", noun: "the description of processes", isUndone: false },
  checkpoint: { verb: "checkpoint", noun: "the checkpoint", isUndone: false },
  capture: { verb: "capture", noun: "the capture", isUndone: false },
  restore: { verb: "restore", noun: "the return to captured states", isUndone: true },
  suspend: { verb: "suspend", noun: "the suspend", isUndone: true },
  resume: { verb: "resume", noun: "the resume", isUndone: true },
  export: { verb: "export", noun: "the export", isUndone: false },
  usage: { verb: "measure", noun: "the measurement", isUndone: false },
  limits: { verb: "change the limits of", noun: "the change of limits", isUndone: true },
  restart: { verb: "restart", noun: "the restart", isUndone: true },
  destroy: { verb: "destroy", noun: "the destroy", isUndone: false },
} as const satisfies Record<string, Wait>;
