import { Outlet } from "@tanstack/react-router";

export function Admin() {
  return (
    <>
      <h1>Admin</h1>
      <Outlet />
    </>
  );
}
