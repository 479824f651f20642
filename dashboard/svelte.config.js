// What the compiler of views must know.
import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

// oxlint-disable-next-line import/no-default-export -- the compiler reads its configuration from there
export default {
  preprocess: vitePreprocess({ script: true }),
  compilerOptions: { runes: true },
};
