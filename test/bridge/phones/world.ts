// A separate network for each test file, with phones whose numbers are unique.
import {
  startTestNetworkWithPhones,
  type RunningNetworkWithPhones,
  type StartWithPhonesOptions,
} from "#root/test-network/start-with-phones.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { MessageRecord } from "#root/test-network/phone/store/messages.ts";
import type { UserFacingSocketConfig } from "baileys";
import { linkedClient, trust, type BaileysClient } from "../../support/bridge/baileys-client.ts";
import { NETWORK_MODE } from "../../support/bridge/network-mode.ts";
import { eventually } from "../../support/eventually.ts";

const WAIT_TIMEOUT_MS = 60_000;
let next = 0;

export type World = RunningNetworkWithPhones & {
  /** A phone with its own number. */
  newPhone(name?: string, business?: boolean): Promise<SimulatedPhone>;
  /** A phone with a linked device. */
  pair(name?: string, config?: Partial<UserFacingSocketConfig>): Promise<{ phone: SimulatedPhone; client: BaileysClient }>;
};

export async function openWorld(options: StartWithPhonesOptions = {}): Promise<World> {
  const running = await startTestNetworkWithPhones({ ...NETWORK_MODE, ...options });
  trust(running);
  const clients: BaileysClient[] = [];
  const newPhone = (name = "Somebody", business = false) => running.createPhone(freshNumber(), { name, business });
  return {
    ...running,
    newPhone,
    async pair(name, config) {
      const phone = await newPhone(name);
      const client = await linkedClient(running, (qr) => phone.scan(qr), config);
      clients.push(client);
      return { phone, client };
    },
    async close() {
      for (const client of clients) await client.end();
      await running.close();
    },
  };
}

export function freshNumber(): string {
  next += 1;
  return `55119${String(40_000_000 + next)}`;
}

export function jidOf({ pn }: SimulatedPhone): string {
  return `${pn}@s.whatsapp.net`;
}

export function chatOf({ pn }: { pn: string }): string {
  return `${pn}@c.us`;
}

/** The first matching message in the phone's inbox, past or future. */
export function shown(phone: SimulatedPhone, meant: (record: MessageRecord) => boolean): Promise<MessageRecord> {
  return eventually(`a message at ${phone.pn}; troubles: ${phone.troubles.join("; ")}`, WAIT_TIMEOUT_MS, () => phone.inbox().find(meant));
}

/** The value of a successful outcome; throws otherwise. */
export function must<T>(outcome: { ok: true; value: T } | { ok: false; code: string; message: string }): T {
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`);
  return outcome.value;
}
