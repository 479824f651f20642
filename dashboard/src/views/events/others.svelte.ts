// Events that the page does not follow by itself, runs and single steps among them: listened to while somebody looks at them.
import type { RemoteRuntime } from "../../../../src/client/types.ts";
import { Changes } from "../../model/changes.ts";
import { EventLog } from "../../model/event-log.ts";
import { otherNames } from "../../source/event-names.ts";

export class OtherEvents {
  readonly log: EventLog = new EventLog();
  #version = $state(0);

  /** Whoever reads it is drawn again when there are more. */
  get version(): number {
    return this.#version;
  }

  /** Listens until what it returns is called: for `$effect`. */
  follow(runtime: RemoteRuntime): () => void {
    const changes = new Changes();
    const ends = [
      changes.on(() => this.#version++),
      runtime.events.onAny(
        (any) => {
          this.log.push(any);
          changes.mark();
        },
        { names: otherNames },
      ),
    ];
    return () => {
      for (const end of ends) end();
    };
  }
}
