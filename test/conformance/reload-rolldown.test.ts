// The reload suites for the backend rolldown.
import { FlakyStore } from "../support/flaky-store.ts";
import { runtimeForTests } from "../support/reloading.ts";
import { reloadOrderSuite } from "./reload-order.suite.ts";
import { reloadUndoSuite } from "./reload-undo.suite.ts";
import { reloadSuite } from "./reload.suite.ts";

const store = new FlakyStore();
const runtime = runtimeForTests({ compiler: { backend: "rolldown" }, store });

reloadSuite("rolldown", runtime);
reloadUndoSuite("rolldown", { runtime, store });
reloadOrderSuite("rolldown", runtime);
