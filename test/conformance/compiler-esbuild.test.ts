// The compiler suite for the backend esbuild.
import { loadEsbuildBackend } from "../../src/code/compiler-host/backends/esbuild.ts";
import { compilerSuite } from "./compiler.suite.ts";

const { supports } = await loadEsbuildBackend();

compilerSuite("esbuild", supports);
