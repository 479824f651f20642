// Uses the other two plugins; an update of either takes effect here at once. Its till is a supervised process.
import { server, supervisor } from "vivarium/guest";
import { greet } from "./greeting.ts";
import { format, priceOf } from "./pricing.ts";

export const offer = async (name: string, item: string): Promise<string> =>
  `${greet(name)} ${item} is ${format(await priceOf(item))}`;

export const Till = server({
  init: () => ({ sold: 0 }),
  async handleCall(item: string, state: { readonly sold: number }) {
    const sold = state.sold + 1;
    return { reply: `sold ${item} for ${format(await priceOf(item))}, number ${sold}`, state: { sold } };
  },
});

const root = supervisor({ children: [{ id: "till", start: Till }] });
export { root as supervisor };
