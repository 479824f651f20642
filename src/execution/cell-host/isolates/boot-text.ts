// The guest runtime as one script. The build replaces this constant by the bundled text of src/guest.

declare const GUEST_BOOT_TEXT: string;
declare const GUEST_PROCESS_TEXT: string;

/** The process runtime, for sandboxes that have processes. */
export const processText: string = GUEST_PROCESS_TEXT;

export const bootText: string = GUEST_BOOT_TEXT;
