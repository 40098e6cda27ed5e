import { Outlet } from "@tanstack/react-router";

export function Chats() {
  return (
    <>
      <h1>Chats</h1>
      <Outlet />
    </>
  );
}
