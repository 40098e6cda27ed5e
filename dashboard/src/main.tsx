import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "./api/cache.ts";
import { reading } from "./api/client.ts";
import { router } from "./router.tsx";
import { watchDeployment } from "./shell/deployment.ts";
import "./style.css";

watchDeployment();
// What every first page needs is asked for at once.
void queries.prefetchQuery(reading("GET /session", {}));

const root = document.querySelector("#root");
if (root === null) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
