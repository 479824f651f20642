// Vite's module runner: modules in the process of its server, updated without files or watching, in its shortest way.
import { createServer, createServerModuleRunner } from "vite";
import { answer } from "./child.ts";

interface Main {
  readonly ask: () => unknown;
}

const sources = new Map<string, string>();
// Named as a file, since a virtual module is not treated as TypeScript.
const idOf = (name: string): string => `/sources/${name}.ts`;

const server = await createServer({
  configFile: false,
  root: import.meta.dirname,
  logLevel: "silent",
  appType: "custom",
  server: { middlewareMode: true, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
  plugins: [
    {
      name: "sources",
      enforce: "pre",
      resolveId: (specifier) => {
        const name = specifier.replace(/^\.\//, "");
        return sources.has(name) ? idOf(name) : null;
      },
      load: (id) => [...sources].find(([name]) => idOf(name) === id)?.[1] ?? null,
    },
  ],
});
const environment = server.environments.ssr;
const runner = createServerModuleRunner(environment, { hmr: false });

async function ask(): Promise<unknown> {
  return (await runner.import<Main>("main")).ask();
}

// What imports the module is evaluated again, as its server does where no module accepts the update.
function invalidate(): void {
  const { moduleGraph } = environment;
  for (const name of ["part", "main"]) {
    const id = idOf(name);
    const served = moduleGraph.getModuleById(id);
    if (served !== undefined) moduleGraph.invalidateModule(served);
    const evaluated = runner.evaluatedModules.getModuleById(id);
    if (evaluated !== undefined) runner.evaluatedModules.invalidateModule(evaluated);
  }
}

answer({
  async load(main: string, part: string): Promise<number> {
    sources.set("main", main).set("part", part);
    await ask();
    return 0;
  },
  async update(part: string, expected: unknown): Promise<number> {
    const startedMs = performance.now();
    sources.set("part", part);
    invalidate();
    const answered = await ask();
    const ms = performance.now() - startedMs;
    if (answered !== expected)
      throw new Error(`it answered ${String(answered)} instead of ${String(expected)}`);
    return ms;
  },
});
