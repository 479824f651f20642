// Listens for a command, and says in its words that the port is taken.
import { InvalidOptionsError } from "../model/errors.ts";
import { listen, type Listening, type Served } from "../server/listen.ts";
import type { ListenOptions } from "../server/listening/options.ts";

export async function listenForCommand(served: Served, options: ListenOptions): Promise<Listening> {
  try {
    return await listen(served, options);
  } catch (error) {
    await served.close();
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    if (cause?.code !== "EADDRINUSE") throw error;
    const rule = "it must be free: another program has it; give --port 0 for any that is free";
    throw new InvalidOptionsError(`Cannot listen at port ${options.port} as ${rule}`, "port");
  }
}
