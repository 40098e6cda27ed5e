// Runs `npm run serve` instead of a sandbox, with a paired number and a contact, for journeys that run against both.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ready } from "#root/src/sandbox/host/state-directory.ts";
import { phones } from "../clients.ts";
import { ok } from "../replies.ts";
import { startLocalNetwork } from "./network.ts";
import { pairNumber } from "./paired-number.ts";
import { firstAdministrator, startServedGateway } from "./served-gateway.ts";

/** True in the project `served` (test/support/runner/projects.ts). */
export const IS_SERVED = process.env["GATEWAY_TARGET"] === "serve";

const NUMBER = "5511940000031";
const CONTACT = "5511940000032";

export async function startServedSandbox(settings: Readonly<Record<string, string>>) {
  const startedAt = performance.now();
  const network = await startLocalNetwork();
  const gateway = await startServedGateway({ ...network.settings, ...settings, BACKUP_TIME: "off" });
  const { token, dashboard, account } = await firstAdministrator(gateway);
  await phones(network).create(CONTACT, "Contact");
  const { id, key } = await pairNumber(gateway, network, dashboard, NUMBER);
  const { data } = await ok(account("POST", "/dashboard/account-keys", { name: "test" }), 201);
  const logs = join(gateway.data, "logs");
  return {
    ready() {
      const { host, worker, bridge } = gateway.processes();
      const connection = { id, api_key: key, phone: NUMBER };
      return {
        app_url: gateway.url,
        base_url: gateway.url,
        network_url: network.network_url,
        processes: { sandbox: host, worker, bridge, network: null },
        token,
        demo: { api_key: data.key as string, connection, contact: { phone: CONTACT, name: "Contact" } },
      } as unknown as Ready;
    },
    readyFile: "",
    directory: gateway.data,
    startedInMs: performance.now() - startedAt,
    output: () => gateway.output(),
    logs: () =>
      readdirSync(logs)
        .map((file) => readFileSync(join(logs, file), "utf8"))
        .join(""),
    stop: () => gateway.stop(),
    kill: () => gateway.end("SIGKILL"),
    start: () => gateway.start(),
    async dispose() {
      await gateway.dispose();
      await network.stop();
    },
  };
}
