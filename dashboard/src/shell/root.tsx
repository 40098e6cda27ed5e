// Around everything: the page, notices, and the dialog when the session has ended.
import { Outlet } from "@tanstack/react-router";
import { Suspense } from "react";
import { FAILURES } from "../api/refused.ts";
import { LiveRegion, Toasts } from "../ui/toast.tsx";
import { useWords } from "../words/words.ts";
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
  useWords(FAILURES);
  return <Outlet />;
}
