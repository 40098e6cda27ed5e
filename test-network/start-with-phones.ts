// The local network as tests and the sandbox use it: the server, the simulated phones, and the API that moves them.
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

export interface StartWithPhonesOptions extends StartOptions {
  /** 0 or left out: any free port. */
  controlPort?: number;
  /** Of Graph. Left out or 0: the port of last time when the state folder knows one and it is free, else any. */
  graphPort?: number;
}

export interface RunningNetworkWithPhones extends RunningNetwork {
  readonly phones: Phones;
  /** `http://127.0.0.1:…`: the control API (docs/use/sandbox.md, "Control API"). */
  readonly controlUrl: string;
  /** `http://127.0.0.1:…`: where a client of the cloud network finds Graph. */
  readonly graphUrl: string;
  /** Makes a phone, or returns the one the number already has. */
  createPhone(pn: string, about?: NewPhone): Promise<SimulatedPhone>;
  /** A phone that exists; throws for a number without one. */
  phone(pn: string): SimulatedPhone;
}

/** Everything in this process. Phones of an earlier run with the same `stateDir` are there again. */
export async function startTestNetworkWithPhones(options: StartWithPhonesOptions = {}): Promise<RunningNetworkWithPhones> {
  // Real phones also try to decrypt on copies of the session.
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
  // A server that listens on a TCP port has an AddressInfo; a string is for pipes only.
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
