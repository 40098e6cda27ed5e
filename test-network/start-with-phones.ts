// Starts the local network: the server, the phones and the control API. Restores the phones that `stateDir` contains.
import type { AddressInfo } from "node:net";
import { createControl } from "./control/server.ts";
import { Phones, type NewPhone } from "./phone/phones.ts";
import type { SimulatedPhone } from "./phone/simulated-phone.ts";
import { decryptOnCopies } from "../session-bridge/networks/baileys/durability/trial-decryption.ts";
import { CloudNetwork } from "./cloud/cloud-network.ts";
import { createGraph } from "./cloud/graph/server.ts";
import { observerOf } from "./cloud/phone/observer.ts";
import { openDatabaseIn } from "./phone/store/database.ts";
import { listen, startTestNetwork, type RunningNetwork, type StartOptions } from "./start.ts";

export type StartWithPhonesOptions = StartOptions & {
  controlPort?: number;
  graphPort?: number;
};

export type RunningNetworkWithPhones = RunningNetwork & {
  readonly phones: Phones;
  readonly controlUrl: string;
  readonly graphUrl: string;
  createPhone(pn: string, about?: NewPhone): Promise<SimulatedPhone>;
  phone(pn: string): SimulatedPhone;
};

export async function startTestNetworkWithPhones(options: StartWithPhonesOptions = {}): Promise<RunningNetworkWithPhones> {
  // Simulated phones try to decrypt with a copy of each session, as real phones do.
  decryptOnCopies();
  const running = await startTestNetwork(options);
  const { network } = running;
  const db = openDatabaseIn(options.stateDir);
  const cloud = new CloudNetwork(db);
  const phones = new Phones(network, db, observerOf(cloud));
  const graph = createGraph({ cloud, network, phones });
  const graphPort = await listen(graph, "127.0.0.1", options.graphPort, network.store, "graph-port");
  await network.durable();
  const control = createControl({
    network,
    phones,
    cloud,
    addresses: {
      ws_url: running.wsUrl,
      media_host: running.mediaHost,
      root_public_key: running.rootPublicKey,
      ca_pem: running.caPem,
    },
  });
  await new Promise<void>((resolve, reject) => {
    control.once("error", reject);
    control.listen(options.controlPort ?? 0, "127.0.0.1", resolve);
  });
  const { port } = control.address() as AddressInfo;
  return {
    ...running,
    phones,
    controlUrl: `http://127.0.0.1:${port}`,
    graphUrl: `http://127.0.0.1:${graphPort}`,
    createPhone: (pn, about) => phones.create(pn, about),
    phone(pn) {
      const phone = phones.get(pn);
      if (!phone) throw new Error(`there is no simulated phone ${pn}`);
      return phone;
    },
    async close() {
      cloud.close();
      for (const server of [control, graph]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
      await phones.close();
      await running.close();
    },
  };
}
