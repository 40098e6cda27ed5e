// A customer of the real gateway in workerd: a user with a connection, its keys, and calls with them.
import { expect } from "vitest";
import { freshAddress, gateway } from "./gateway.ts";
import { type Someone, someone } from "./people.ts";

export type Customer = {
  owner: Someone;
  connection: { id: number; instance_id: string };
  key: string;
  keyId: string;
  /** Creates another key for the connection. */
  freshKey(): Promise<{ id: string; key: string }>;
  revoke(keyId: string): Promise<void>;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
};

export async function freshCustomer(): Promise<Customer> {
  const ask = gateway();
  const owner = await someone();
  const dashboard = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await ask(`/api/dashboard/connections${path}`, { method, headers: owner.headers, ...sent });
    expect(answer.ok, `${method} ${path} answered ${answer.status}`).toBe(true);
    return ((await answer.json()) as { data: T }).data;
  };
  const connection = await dashboard<Customer["connection"]>("POST", "", { name: "Loja" });
  const freshKey = () => dashboard<{ id: string; key: string }>("POST", `/${connection.id}/keys`, { name: "Sistema" });
  const { id: keyId, key } = await freshKey();
  return {
    owner,
    connection,
    key,
    keyId,
    freshKey,
    revoke: async (id) => void (await dashboard("DELETE", `/${connection.id}/keys/${id}`)),
    call: (method, path, body, headers = {}) =>
      ask(`/api/v1${path}`, {
        method,
        headers: { "X-Api-Key": key, "content-type": "application/json", "cf-connecting-ip": freshAddress(), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
}
