import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  server: { proxy: { "/api": "http://127.0.0.1:8000" } },
  // Inlined assets would need data: and style exceptions in the Content-Security-Policy.
  build: { outDir: "dist", assetsInlineLimit: 0, chunkSizeWarningLimit: 800 },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"], setupFiles: ["src/test-setup.ts"] },
});
