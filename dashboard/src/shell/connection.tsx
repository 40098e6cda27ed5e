import { Outlet } from "@tanstack/react-router";

export function ConnectionFrame() {
  return (
    <>
      <Outlet />
    </>
  );
}
