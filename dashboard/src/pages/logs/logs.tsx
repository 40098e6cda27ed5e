import { Outlet } from "@tanstack/react-router";

export function Logs() {
  return (
    <>
      <h1>Logs</h1>
      <Outlet />
    </>
  );
}
