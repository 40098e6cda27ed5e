// Prepares Baileys for the process: repairs its defects, trusts the local network, checks the hooks.
import type { Network } from "../../settings.ts";
import type { NetworkLibrary } from "../network.ts";
import { BaileysDriver } from "./driver.ts";
import { baileysRows } from "./durability/row-serializer.ts";
import { directAccess } from "./session/media-hosts.ts";
import { decryptOnCopies } from "./durability/trial-decryption.ts";
import { trustLocalNetwork, verifySignaturesStrictly } from "./socket/trust.ts";
import { missingHooks } from "./socket/self-check.ts";

/** `missing`: hooks that durability depends on and this version of Baileys lacks. */
export async function startBaileys(network: Network): Promise<{ ok: true; library: NetworkLibrary } | { ok: false; missing: string[] }> {
  verifySignaturesStrictly();
  decryptOnCopies();
  if (network.kind === "local") trustLocalNetwork(network.root, network.ca);
  const missing = await missingHooks();
  if (missing.length > 0) return { ok: false, missing };
  const direct = directAccess(network);
  return { ok: true, library: { rows: baileysRows, createDriver: (deps) => new BaileysDriver(deps, network, direct) } };
}
