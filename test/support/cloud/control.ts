// Controls one number's cloud network.
import type { Ready } from "#root/src/sandbox/host/state-directory.ts";
import { phones } from "../clients.ts";
import type { CloudCredentials } from "./numbers.ts";

export function cloudControl(ready: Ready, { phone_number_id: number }: Pick<CloudCredentials, "phone_number_id">) {
  const { call } = phones(ready);
  const rows = async (path: string): Promise<any[]> => (await call("GET", `${path}?phone_number_id=${number}&limit=20000`)).body.data;
  return {
    /** The number's current state on the network. */
    shown: async () => (await call("GET", `/cloud/numbers/${number}`)).body.data,
    change: (change: Record<string, unknown>) => call("PATCH", `/cloud/numbers/${number}`, change),
    fault: (kind: string, about: Record<string, unknown> = {}) =>
      call("POST", "/cloud/faults", { phone_number_id: number, kind, ...about }),
    mend: () => call("DELETE", `/cloud/faults?phone_number_id=${number}`),
    faults: async (): Promise<unknown[]> => (await call("GET", `/cloud/faults?phone_number_id=${number}`)).body.data,
    newToken: async (): Promise<string> => (await call("POST", `/cloud/numbers/${number}/tokens`, {})).body.access_token,
    endToken: (token: string) => call("DELETE", `/cloud/numbers/${number}/tokens/${token.slice(-4)}`),
    /** All requests to Graph, newest last. */
    requests: () => rows("/cloud/requests"),
    webhooks: () => rows("/cloud/webhooks"),
  };
}
