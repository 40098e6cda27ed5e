import { Outlet } from "@tanstack/react-router";
import { Suspense } from "react";
import { LiveRegion, Toasts } from "../ui/toast.tsx";
import { useTexts } from "../texts/catalog.ts";
import { FAILURES } from "../texts/catalogs.ts";
import { SessionEnded } from "./session-ended.tsx";

export function Root() {
  return (
    <Suspense>
      <Page />
      <SessionEnded />
      <Toasts />
      <LiveRegion />
    </Suspense>
  );
}

function Page() {
  useTexts(FAILURES);
  return <Outlet />;
}
