// Hostile sources for the backend esbuild.
import { hostileSourceSuite } from "./source.suite.ts";

hostileSourceSuite("esbuild");
