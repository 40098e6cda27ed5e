// The test network in its own process, which outlives the gateway, as the real network does.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const NETWORK = fileURLToPath(new URL("../../../test-network/main.ts", import.meta.url));

export type LocalNetwork = {
  /** Its control API. */
  network_url: string;
  /** Settings of a gateway on this network. */
  settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

export async function startLocalNetwork(): Promise<LocalNetwork> {
  const child: ChildProcess = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", NETWORK], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("the network has no output");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const ready = JSON.parse(line) as Record<"ws_url" | "media_host" | "control_url" | "root_public_key" | "ca_pem", string>;
  return {
    network_url: ready.control_url,
    settings: {
      BRIDGE_NETWORK: "local",
      BRIDGE_LOCAL_URL: ready.ws_url,
      BRIDGE_LOCAL_ROOT: ready.root_public_key,
      BRIDGE_LOCAL_CA: ready.ca_pem,
      BRIDGE_LOCAL_MEDIA_HOST: ready.media_host,
    },
    async stop() {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
    },
  };
}
