// The reload suites for the backend esbuild.
import { FlakyStore } from "../support/flaky-store.ts";
import { runtimeForTests } from "../support/reloading.ts";
import { reloadOrderSuite } from "./reload-order.suite.ts";
import { reloadUndoSuite } from "./reload-undo.suite.ts";
import { reloadSuite } from "./reload.suite.ts";

const store = new FlakyStore();
const runtime = runtimeForTests({ compiler: { backend: "esbuild" }, store });

reloadSuite("esbuild", runtime);
reloadUndoSuite("esbuild", { runtime, store });
reloadOrderSuite("esbuild", runtime);
