/** The functions that draw pictures, as one script for the server's JavaScript engine. */
import { defineConfig } from "vite";

export default defineConfig({
  publicDir: false,
  build: {
    outDir: "dist/pictures",
    target: "es2022",
    lib: { entry: "src/pictures/library/main.ts", name: "pictures", formats: ["iife"], fileName: () => "pictures.js" },
    // What draws imports nothing for its effects; React comes in by modules that also hold components.
    rollupOptions: { treeshake: { moduleSideEffects: false } },
  },
});
