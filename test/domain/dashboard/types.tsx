// Compile-time checks for the dashboard: its calls match the contract, its links the router, its texts both languages. `npm run
// types:dashboard` compiles this file, and fails if an expected error is missing.
import { Link } from "@tanstack/react-router";
import { api } from "#root/dashboard/src/api/client.ts";
import type { Texts } from "#root/dashboard/src/texts/catalog.ts";

const pt = { title: "Chaves", used: (times: number) => `${times} vezes` };

// Correct uses.
void api("GET /connections/{id}", { id: 1 });
void api("POST /connections", { name: "Loja" });
export const email: string = (await api("GET /me", {})).data.email;
export const link = (
  <Link to="/connections/$id" params={{ id: "1" }}>
    Loja
  </Link>
);
export const en: Texts<typeof pt> = { title: "Keys", used: (times) => `${times} times` };

// @ts-expect-error: an unknown route
void api("GET /connection", {});
// @ts-expect-error: a method that the route lacks
void api("DELETE /me", {});
// @ts-expect-error: an unknown parameter
void api("GET /connections/{id}", { connection: 1 });
// @ts-expect-error: a missing parameter
void api("DELETE /connections/{id}/keys/{key_id}", { id: 1 });
// @ts-expect-error: an unknown field of the body
void api("POST /connections", { nome: "Loja" });
// @ts-expect-error: a field of the body with another type
void api("POST /connections/{id}/connect", { id: 1, force_new_pairing: "yes" });
// @ts-expect-error: an unknown field of the answer
export const mail = (await api("GET /me", {})).data.mail;

// @ts-expect-error: an unknown address
export const unknown = <Link to="/conections" />;
// @ts-expect-error: an unknown parameter of the address
export const misnamed = <Link to="/connections/$id" params={{ connection: "1" }} />;

// @ts-expect-error: a missing text
export const incomplete: Texts<typeof pt> = { title: "Keys" };
// @ts-expect-error: a text whose parameter has another type
export const mistyped: Texts<typeof pt> = { title: "Keys", used: (times: string) => times };
