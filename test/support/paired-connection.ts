// An additional connection, paired with its own simulated phone.
import { randomInt } from "node:crypto";
import type { Ready } from "../../src/sandbox/host/state-directory.ts";
import { customer, person, phones } from "./clients.ts";
import { eventually } from "./eventually.ts";

/** A number that no other test, and no other attempt of this one, uses. */
export const freshPhone = (): string => `552197${String(randomInt(10_000_000)).padStart(7, "0")}`;

const PAIRED_WITHIN_MS = 60_000;

export type PairedConnection = {
  phone: string;
  id: number;
  key: string;
  api: ReturnType<typeof customer>;
  owner: Awaited<ReturnType<typeof person>>;
};

/** `email`: the owner; the demo user by default. */
export async function pairConnection(
  ready: Ready,
  phone: string,
  about: { name: string; business?: boolean },
  email?: string,
): Promise<PairedConnection> {
  const owner = await person(ready, email);
  const network = phones(ready);
  await network.call("POST", "/phones", { phone, ...about });
  const { id } = (await owner.call("POST", "/connections", { name: about.name })).body.data as { id: number };
  const key = (await owner.call("POST", `/connections/${id}/keys`, { name: "test" })).body.data.key as string;
  const api = customer(ready, key);
  await owner.call("POST", `/connections/${id}/connect`);
  const qr = await eventually(`a QR for ${phone}`, PAIRED_WITHIN_MS, async () => {
    const answer = await api.get("/instance/qr");
    return answer.status === 200 && (answer.body.data.raw as string);
  });
  const scan = await network.call("POST", `/phones/${phone}/scan`, { qr });
  if (scan.status !== 200) throw new Error(`not scanned: ${JSON.stringify(scan.body)}`);
  // Avoids the connection's own read, which is counted and may come from the cache.
  await eventually(
    `${phone} connected`,
    PAIRED_WITHIN_MS,
    async () => (await owner.call("GET", `/connections/${id}`)).body.data.status === "connected",
  );
  return { phone, id, key, api, owner };
}
