import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "./api/cache.ts";
import { reading } from "./api/client.ts";
import { router } from "./router.tsx";
import { watchDeployment } from "./shell/deployment.ts";
import { FAILURES, REASONS, SHELL, UI } from "./texts/catalogs.ts";
import "./style.css";

watchDeployment();
// Starts the first page's requests in parallel.
void queries.prefetchQuery(reading("GET /session", {}));
for (const area of [FAILURES, UI, REASONS, SHELL]) void area.load();
const [matched] = router.getMatchedRoutes(location.pathname);
// Administration code is loaded only once the user is known to be an administrator.
for (const route of matched) if (!route.id.startsWith("/in/admin")) void router.loadRouteChunk(route);

const root = document.querySelector("#root");
if (root === null) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
