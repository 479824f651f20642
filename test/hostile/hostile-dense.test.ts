// Hostile programs in the isolate of their neighbour.
import { hostileSuite } from "./hostile.suite.ts";

hostileSuite({ dense: true });
