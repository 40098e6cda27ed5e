import { Outlet } from "@tanstack/react-router";
import { Suspense } from "react";

export function Root() {
  return (
    <Suspense>
      <Outlet />
    </Suspense>
  );
}
