// Hostile sources for the backend rolldown.
import { hostileSourceSuite } from "./source.suite.ts";

hostileSourceSuite("rolldown");
