// How the page is built: one script that has everything but the code editor, which is loaded where somebody looks at code.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/**
 * Takes out the marks of styles to be loaded before a chunk, of which there are none: rolldown 1.3 makes them longer than Vite 8.3
 * expects, which replaces only their beginning, so that the script could not be parsed.
 */
const withoutPreloads: Plugin = {
  name: "without-preloads",
  generateBundle: {
    order: "pre",
    handler: (_, bundle) => {
      for (const chunk of Object.values(bundle))
        if (chunk.type === "chunk") chunk.code = chunk.code.replaceAll(/__VITE_PRELOAD__\w*/g, "void 0");
    },
  },
};

// oxlint-disable-next-line import/no-default-export -- vite reads its configuration from there
export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that a server may be mounted below another path.
  base: "./",
  plugins: [svelte(), withoutPreloads],
  build: {
    outDir: "../dist/dashboard",
    emptyOutDir: true,
    target: "es2024",
    // Nothing but scripts and styles of its own files may be used by the page.
    assetsInlineLimit: 0,
    modulePreload: false,
    // A view that is loaded later finds its styles there already.
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
