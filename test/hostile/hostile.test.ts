// Hostile programs in isolates of their own.
import { hostileSuite } from "./hostile.suite.ts";

hostileSuite({});
