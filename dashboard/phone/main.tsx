import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { LiveRegion, Toasts } from "../src/ui/toast.tsx";
import { UI } from "../src/texts/catalogs.ts";
import { App } from "./app.tsx";
import { PHONE } from "./texts/texts.ts";
import "./style.css";

// The network's stream reports changes (network/live.ts), so nothing goes stale by time.
const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, retry: 2, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});

const root = document.querySelector("#root");
if (root === null) throw new Error("index.html has no #root");
await Promise.all([PHONE.load(), UI.load()]);
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Suspense>
        <App />
        <LiveRegion />
        <Toasts />
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
);
