import { createPatch } from "diff";
export const p = () => createPatch("a", "x", "y");
