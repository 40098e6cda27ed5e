// A network for each test file, with phones and sessions.
import type { UserFacingSocketConfig } from "baileys";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { StartWithPhonesOptions } from "#root/test-network/start-with-phones.ts";
import type { SessionSettings } from "@gateway/protocol/session-socket.ts";
import { openWorld as openNetwork, type World as Network } from "../phones/world.ts";
import { Session } from "./session.ts";

export { chatOf, freshNumber, must, shown } from "../phones/world.ts";

export type World = Omit<Network, "pair"> & {
  /** A phone with one of our sessions linked to it. */
  pair(
    name?: string,
    settings?: Partial<SessionSettings>,
    before?: (phone: SimulatedPhone) => Promise<unknown>,
    config?: Partial<UserFacingSocketConfig>,
  ): Promise<{ phone: SimulatedPhone; session: Session }>;
};

/** Opens a network on which every phone has a business account. */
export async function openWorld(options: StartWithPhonesOptions = {}): Promise<World> {
  const network = await openNetwork(options);
  const sessions: Session[] = [];
  const newPhone = (name?: string) => network.newPhone(name, true);
  return {
    ...network,
    newPhone,
    async pair(name, settings, before, config) {
      const phone = await newPhone(name);
      await before?.(phone);
      const session = new Session(network, settings, config);
      sessions.push(session);
      await session.connect((qr) => phone.scan(qr)).ready();
      return { phone, session };
    },
    async close() {
      for (const session of sessions) await session.end();
      await network.close();
    },
  };
}
