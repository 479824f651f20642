// The guest runtime as scripts. The build replaces these constants by the bundled texts of src/guest.

declare const GUEST_BOOT_TEXT: string;
declare const GUEST_EXTRAS_TEXT: string;
declare const GUEST_PROCESS_TEXT: string;

/** The process runtime, for sandboxes that have processes. */
export const processText: string = GUEST_PROCESS_TEXT;

export const bootText: string = GUEST_BOOT_TEXT;

/** What few guests use, as the body of a function: compiled inside an isolate at its first use. */
export const extrasText: string = GUEST_EXTRAS_TEXT;
