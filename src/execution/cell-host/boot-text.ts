// The guest runtime as one script. The build puts the bundled text of src/guest in the place of this constant.

declare const GUEST_BOOT_TEXT: string;

export const bootText: string = GUEST_BOOT_TEXT;
