// Restricts downloads to the network's hosts, because a message's sender may forge its file's URL.
import { lookup as resolve } from "node:dns";
import { isIPv6, type LookupFunction } from "node:net";
import { DEF_MEDIA_HOST } from "baileys";
import { Agent, type Dispatcher } from "undici";
import { isPublicHost } from "@gateway/protocol/addresses/public.ts";
import type { Network } from "#bridge/settings.ts";

export type MediaHosts = {
  readonly standard: string;
  allows(url: URL): boolean;
};

/** Matches `mmg.…`, `media-<site>.cdn.…` and `pps.…`. In messages, `web.…` stands for any host. */
const REAL_HOST = /^(?!web\.)([a-z0-9-]+\.)+whatsapp\.net$/;

export function mediaHostsOf(network: Network): MediaHosts {
  const local = network.kind === "local" ? network.mediaHost.split(",") : [];
  const { standard, known } =
    network.kind === "local"
      ? { standard: local[0] ?? "", known: ({ host }: URL) => local.includes(host) }
      : { standard: DEF_MEDIA_HOST, known: ({ hostname, port }: URL) => port === "" && REAL_HOST.test(hostname) };
  return {
    standard,
    allows: (url) => url.protocol === "https:" && url.username === "" && url.password === "" && known(url),
  };
}

export function fileUrl(
  hosts: MediaHosts,
  { url, directPath }: { url?: string | null | undefined; directPath?: string | null | undefined },
): URL | null {
  const stated = url ? URL.parse(url) : null;
  const host = stated !== null && hosts.allows(stated) ? stated.host : hosts.standard;
  const meant = directPath ? URL.parse(`https://${host}${directPath}`) : stated;
  return meant !== null && hosts.allows(meant) ? meant : null;
}

/** Refuses all other hosts, including redirect targets and URLs that the library itself fetches. */
export function guarded(dispatcher: Dispatcher, hosts: MediaHosts): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const origin = URL.parse(String(options.origin));
    if (origin === null || !hosts.allows(origin)) throw new Error("not a host of the network");
    return dispatch(options, handler);
  });
}

/** The servers also return 403 for deleted files. */
export const GONE_STATUSES: ReadonlySet<number> = new Set([403, 404, 410]);

export type DirectAccess = { hosts: MediaHosts; dispatcher: Dispatcher };

/** Shared by all sessions. Hostnames of the real network must resolve to public addresses. */
export function directAccess(network: Network): DirectAccess {
  const hosts = mediaHostsOf(network);
  const agent = network.kind === "local" ? new Agent() : new Agent({ connect: { lookup: publicLookup } });
  return { hosts, dispatcher: guarded(agent, hosts) };
}

export const NOT_PUBLIC = "not a public address";

/** Like `dns.lookup`, but fails when any address is not public. It runs at connect time, so that a changed DNS response is caught. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, found) => {
    const [first] = found ?? [];
    if (error || first === undefined) return callback(error ?? new Error("no address"), []);
    if (!found.every(({ address }) => isPublicAddress(address))) return callback(new Error(NOT_PUBLIC), []);
    if (options.all === true) callback(null, found);
    else callback(null, first.address, first.family);
  });
};

export function isPublicAddress(address: string): boolean {
  const host = isIPv6(address) ? URL.parse(`http://[${address}]`)?.hostname : address;
  return host !== undefined && isPublicHost(host);
}
