import { Outlet } from "@tanstack/react-router";

export function Deliveries() {
  return (
    <>
      <h1>Deliveries</h1>
      <Outlet />
    </>
  );
}
