// The guest runtime as one script. The build puts the bundled text of src/guest in the place of this constant.

declare const GUEST_BOOT_TEXT: string;
declare const GUEST_PROCESS_TEXT: string;

/** The process runtime, for sandboxes that have processes. */
export const processText: string = GUEST_PROCESS_TEXT;

export const bootText: string = GUEST_BOOT_TEXT;
