// Around everything: the page, notices, and the dialog when the session has ended.
import { Outlet } from "@tanstack/react-router";
import { Suspense } from "react";
import { LiveRegion, Toasts } from "../ui/toast.tsx";
import { SessionEnded } from "./session-ended.tsx";

export function Root() {
  return (
    <Suspense>
      <Outlet />
      <SessionEnded />
      <Toasts />
      <LiveRegion />
    </Suspense>
  );
}
