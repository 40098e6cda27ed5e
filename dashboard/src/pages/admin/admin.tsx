// The frame of the administration.
import { Outlet } from "@tanstack/react-router";

export function Admin() {
  return (
    <div className="grid min-w-0 gap-4">
      <Outlet />
    </div>
  );
}
