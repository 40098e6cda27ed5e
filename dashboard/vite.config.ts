// Build and development server of the dashboard. `GATEWAY` names a running sandbox, whose API the development server passes on.
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const target = process.env["GATEWAY"] ?? "http://127.0.0.1:8787";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // The policy allows no inline script and no font from a data: address.
  build: {
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    // Beside the documentation's own files in `/assets`.
    assetsDir: "assets/app",
    // Small shared files, each compressed by itself, cost more than they save.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: "platform", test: /node_modules\/(react|react-dom|scheduler|@tanstack|use-sync-external-store)\// }],
        },
      },
    },
    reportCompressedSize: false,
  },
  // Without our own Origin the API would refuse every change as coming from another site.
  server: { proxy: { "/api": { target, changeOrigin: true, headers: { origin: target } }, "/docs": { target, changeOrigin: true } } },
});
