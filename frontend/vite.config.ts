import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { constants, gzipSync } from "node:zlib";

import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** The shell in `index.html` is painted before the styles are here: they stand behind it, and the script waits for them. */
function stylesBehindShell(): Plugin {
  return {
    name: "styles-behind-shell",
    apply: "build",
    enforce: "post",
    transformIndexHtml: (html) => {
      const styles: string[] = [];
      const rest = html.replace(/\s*<link rel="stylesheet"[^>]*>/g, (link) => (styles.push(link.trim()), ""));
      return rest.replace("</body>", `${styles.map((link) => `    ${link}\n`).join("")}  </body>`);
    },
  };
}

/** Beside every text file the same packed, which the server sends to whoever reads gzip. */
function packed(): Plugin {
  return {
    name: "packed",
    apply: "build",
    closeBundle: () => {
      const folder = path.resolve(import.meta.dirname, "dist/assets");
      for (const name of readdirSync(folder).filter((each) => /\.(js|css|svg)$/.test(each))) {
        const file = path.join(folder, name);
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), stylesBehindShell(), packed()],
  server: { proxy: { "/api": "http://127.0.0.1:8000" } },
  // Inlined assets would need data: and style exceptions in the Content-Security-Policy.
  build: { outDir: "dist", assetsInlineLimit: 0, chunkSizeWarningLimit: 800 },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"], setupFiles: ["src/test-setup.ts"] },
});
