// Build and development server for the simulated phones. API calls are proxied to `NETWORK`, the URL of a running local network.
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const target = process.env["NETWORK"] ?? "http://127.0.0.1:8790";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  publicDir: "../public",
  plugins: [react(), tailwindcss()],
  // The same as in the dashboard's build, because the content security policy forbids inline scripts and fonts from `data:` URLs.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, target: "es2022", reportCompressedSize: false },
  server: {
    fs: { allow: ["../.."] },
    proxy: { "^/(phones|faults)(/|\\?|$)": { target, changeOrigin: true, headers: { origin: target } } },
  },
});
