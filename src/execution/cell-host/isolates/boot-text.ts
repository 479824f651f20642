// The guest runtime as scripts. The build replaces these constants by the bundled texts of src/guest.
import type { LateScript } from "../../../guest/globals/late-scripts.ts";

declare const GUEST_BOOT_TEXT: string;
declare const GUEST_LATE_TEXTS: Readonly<Record<LateScript, string>>;
declare const GUEST_PROCESS_TEXT: string;

/** The process runtime, for sandboxes that have processes. */
export const processText: string = GUEST_PROCESS_TEXT;

export const bootText: string = GUEST_BOOT_TEXT;

/** What few guests use, each as the body of a function: compiled inside an isolate at its first use. */
export const lateTexts: Readonly<Record<LateScript, string>> = GUEST_LATE_TEXTS;
