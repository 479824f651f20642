// Sandboxes that are looked at: with processes, versions, logs, a capability, failures whose stacks lead to their sources, and
// what happens to sandboxes where work is done.
import type { Runtime } from "vivarium";

export const capabilities = {
  price: ([name]: readonly unknown[]): number =>
    new Map<unknown, number>([
      ["apple", 3],
      ["pear", 4],
      ["plum", 2],
    ]).get(name) ?? 0,
};

const prices = `import { price } from "vivarium/capabilities";

/** What one piece costs. */
export async function priceOf(name: string): Promise<number> {
  const found = await price(name);
  if (found === 0) throw new RangeError(\`no price for \${name}\`);
  return found;
}
`;
const shop = `import { priceOf } from "./prices";

interface Item {
  readonly name: string;
  readonly count: number;
}

/** The price of all items together. */
export async function total(items: readonly Item[]): Promise<number> {
  let sum = 0;
  for (const { name, count } of items) sum += count * (await priceOf(name));
  console.log(\`\${items.length} kinds of fruit for \${sum}\`);
  return sum;
}
`;
const discount = shop
  .replace("  return sum;", "  const rate = sum >= 20 ? 0.9 : 1;\n  return sum * rate;")
  .replace(
    "/** The price of all items together. */",
    "/** The price of all items together; a tenth less from 20 on. */",
  );
const orders = `import { server, supervisor } from "vivarium/guest";

export const Stock = server({
  name: "stock",
  init: (count: number) => ({ count }),
  handleCall(message: { take: number }, state) {
    if (!Number.isInteger(message.take)) throw new TypeError("take must be an integer");
    return { reply: state.count - message.take, state: { count: state.count - message.take } };
  },
});
export const Orders = server({
  name: "order",
  init: () => ({ done: 0 }),
  handleCall: (_order: unknown, state) => ({ reply: state.done + 1, state: { done: state.done + 1 } }),
});
const Shelves = supervisor({
  name: "shelves",
  children: [
    { id: "apples", start: Stock, args: 100 },
    { id: "pears", start: Stock, args: 60 },
  ],
});
export default supervisor({
  strategy: "one-for-one",
  children: [
    { id: "shelves", start: Shelves },
    { id: "orders", start: Orders },
  ],
});
`;

/** Makes them and lets them work. */
export async function openShop(runtime: Runtime): Promise<void> {
  const checkout = await runtime.create("checkout", {
    modules: { shop, prices },
    capabilities: { price: { calls: 500 } },
    labels: { team: "shop", stage: "live" },
    limits: { memoryBytes: 64 * 2 ** 20, timeoutMs: 2_000 },
  });
  const basket = [
    { name: "apple", count: 2 },
    { name: "pear", count: 4 },
  ];
  for (let turn = 0; turn < 6; turn++) await checkout.call("shop.total", { args: [basket.slice(turn % 2)] });
  const mutation = { by: "an engineer", note: "a tenth less from 20 on" };
  await checkout.hotReload({ shop: discount }, { mutation });
  await checkout.call("shop.total", { args: [basket] });
  await checkout.call("shop.total", { args: [[...basket, { name: "melon", count: 1 }]] });
  await checkout.call("shop.total", { args: [basket] });

  const warehouse = await runtime.create("warehouse", {
    modules: { orders },
    supervisor: "orders",
    labels: { team: "shop", stage: "live" },
  });
  for (let turn = 0; turn < 12; turn++) await warehouse.ask("orders", { turn });
  await warehouse.ask("apples", { take: 4 });
  await warehouse.ask("pears", { take: "many" });
  await warehouse.ask("pears", { take: 2 });

  await runtime.create("newsletter", {
    modules: { main: "export const greet = (name: string): string => `Hello, ${name}`;" },
    labels: { team: "letters", stage: "trial" },
  });
  const report = await runtime.create("report", {
    modules: { main: "export function run(): number {\n  for (;;);\n}\n" },
    labels: { team: "figures", stage: "trial" },
    limits: { timeoutMs: 200 },
  });
  await report.call("main.run");
  await (await runtime.get("newsletter"))?.suspend();
}
