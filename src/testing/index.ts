// The "./testing" entry: what the project's own tests use, users may too.
export { FakeClock } from "./fake-clock.ts";
export { storeSuite, type Check } from "./store-suite.ts";
