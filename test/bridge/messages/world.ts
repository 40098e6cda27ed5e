// A network for each test file, with phones and sessions on it.
import type { SimulatedPhone } from "../../../session-bridge/test-network/phone/simulated-phone.ts";
import {
  startTestNetworkWithPhones,
  type RunningNetworkWithPhones,
  type StartWithPhonesOptions,
} from "../../../session-bridge/test-network/start-with-phones.ts";
import type { MessageRecord } from "../../../session-bridge/test-network/phone/store/messages.ts";
import type { UserFacingSocketConfig } from "baileys";
import type { SessionSettings } from "../../../src/protocol/session-socket.ts";
import { trust } from "../../support/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { Session } from "./session.ts";

const PATIENCE_MS = 20_000;
let next = 0;

export interface World extends RunningNetworkWithPhones {
  newPhone(name?: string): Promise<SimulatedPhone>;
  /** A phone with a session of ours linked to it. */
  pair(
    name?: string,
    settings?: Partial<SessionSettings>,
    before?: (phone: SimulatedPhone) => Promise<unknown>,
    config?: Partial<UserFacingSocketConfig>,
  ): Promise<{ phone: SimulatedPhone; session: Session }>;
}

export async function openWorld(options: StartWithPhonesOptions = {}): Promise<World> {
  const running = await startTestNetworkWithPhones(options);
  trust(running);
  const sessions: Session[] = [];
  const newPhone = (name = "Somebody") => running.createPhone(freshNumber(), { name, business: true });
  return {
    ...running,
    newPhone,
    async pair(name, settings, before, config) {
      const phone = await newPhone(name);
      await before?.(phone);
      const session = new Session(running, settings, config);
      sessions.push(session);
      await session.connect((qr) => phone.scan(qr)).ready();
      return { phone, session };
    },
    async close() {
      for (const session of sessions) await session.end();
      await running.close();
    },
  };
}

export function freshNumber(): string {
  next += 1;
  return `55119${String(41_000_000 + next)}`;
}

export const chatOf = ({ pn }: { pn: string }): string => `${pn}@c.us`;

/** The first message in the phone's inbox that is meant, past or to come. */
export function shown(phone: SimulatedPhone, meant: (record: MessageRecord) => boolean): Promise<MessageRecord> {
  return eventually(`a message at ${phone.pn}; troubles: ${phone.troubles.join("; ")}`, PATIENCE_MS, () => phone.inbox().find(meant));
}

/** The value of an outcome that must be a success. */
export function must<T>(outcome: { ok: true; value: T } | { ok: false; code: string; message: string }): T {
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`);
  return outcome.value;
}
