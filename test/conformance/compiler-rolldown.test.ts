// The compiler suite for the backend rolldown.
import { rolldownBackend } from "../../src/code/compiler-host/backends/rolldown.ts";
import { compilerSuite } from "./compiler.suite.ts";

compilerSuite("rolldown", rolldownBackend.supports);
