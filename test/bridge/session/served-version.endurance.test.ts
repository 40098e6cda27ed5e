// Looks up the version of the network's web client; a bridge's sessions share the look-up in progress.
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { directAccess } from "#root/session-bridge/networks/baileys/session/media-hosts.ts";
import { createProxies } from "#root/session-bridge/networks/baileys/socket/proxies.ts";
import { fetchServedVersion } from "#root/session-bridge/networks/baileys/socket/served-version.ts";
import { expectAtMost } from "../../support/promised-times.ts";

/** The look-up itself times out after 5 s, a connection through a proxy after 30 s. */
const LIMIT_MS = 20_000;
const LOCAL = { kind: "local", url: "ws://127.0.0.1:1", root: Buffer.alloc(32), ca: "", mediaHost: "127.0.0.1:1" } as const;

it.each(["http", "socks5"])("the version look-up is given up after seconds behind a mute %s proxy", async (protocol) => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const proxies = createProxies(`${protocol}://127.0.0.1:${port}`, directAccess(LOCAL), LOCAL);
  if (proxies === null) throw new Error("no proxy");
  const began = performance.now();
  expect(await fetchServedVersion(LOCAL, proxies)).toBeNull();
  expectAtMost("a look-up that is not answered", performance.now() - began, LIMIT_MS);
  silent.close();
});
