// Prepares Baileys once per process: fixes its defects, makes it trust the local network, and checks the hooks.
import type { Logger } from "pino";
import type { Settings } from "../../settings.ts";
import type { NetworkLibrary } from "../network.ts";
import { BaileysDriver } from "./driver.ts";
import { findConverter } from "./media/converter.ts";
import { SPOOL_QUOTA } from "./media/spool-quota.ts";
import { openSpoolFolder } from "./media/spool.ts";
import { baileysRows } from "./durability/row-serializer.ts";
import { directAccess } from "./session/media-hosts.ts";
import { readSaltFields } from "./durability/salt-fields.ts";
import { decryptOnCopies } from "./durability/trial-decryption.ts";
import { ClientVersion } from "./socket/client-version.ts";
import { trustLocalNetwork, verifySignaturesStrictly } from "./socket/trust.ts";
import { checkProxy } from "./socket/proxy-check.ts";
import { missingHooks } from "./socket/self-check.ts";

/** `converter` says whether ffmpeg is installed. `missing` lists required hooks that this version of Baileys lacks. */
type Started = { ok: true; library: NetworkLibrary; converter: boolean } | { ok: false; missing: string[] };

export async function startBaileys(
  { network, spoolBytes, clientVersion: fallback }: Pick<Settings, "network" | "spoolBytes" | "clientVersion">,
  logger: Logger,
): Promise<Started> {
  verifySignaturesStrictly();
  decryptOnCopies();
  readSaltFields();
  if (network.kind === "local") trustLocalNetwork(network.root, network.ca);
  const missing = await missingHooks();
  if (missing.length > 0) return { ok: false, missing };
  const direct = directAccess(network);
  const clientVersion = new ClientVersion(fallback, logger);
  SPOOL_QUOTA.limitBytes = spoolBytes;
  await openSpoolFolder();
  const converter = (await findConverter()) !== null;
  return {
    ok: true,
    converter,
    library: {
      rows: baileysRows,
      createDriver: (deps) => new BaileysDriver(deps, network, direct, clientVersion),
      clientVersion,
      checkProxy: (check, exitAddress) => checkProxy(check, { network, direct, exitAddress }),
    },
  };
}
