// The client version that we announce: the operator's choice or, without one, the newer of the library's and the one served to browsers.
import { DEFAULT_CONNECTION_CONFIG, type WAVersion } from "baileys";
import type { Logger } from "pino";
import type { AnnouncedVersion, ClientVersionSetting } from "@gateway/protocol/bridge-socket.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { get as getPlain } from "node:http";
import { get } from "node:https";
import type { Network } from "#root/settings.ts";
import { publicLookup } from "../session/media-hosts.ts";
import type { Proxies } from "../session/session-context.ts";

export const NOTHING_SET: ClientVersionSetting = { version: null, max: null };

const MAX_DOUBTED = 50;

export class ClientVersion {
  readonly #fallback: ClientVersionSetting;
  readonly #logger: Logger;
  readonly #library: WAVersion;
  readonly #listeners = new Set<() => void>();
  readonly #doubted = new Set<string>();
  #setting: ClientVersionSetting;
  #served: WAVersion | null = null;
  #lookUpDueAt = Number.NEGATIVE_INFINITY;
  #lookingUp: Promise<void> | null = null;

  constructor(fallback: ClientVersionSetting, logger: Logger, library: WAVersion = DEFAULT_CONNECTION_CONFIG.version) {
    this.#fallback = fallback;
    this.#setting = fallback;
    this.#logger = logger;
    this.#library = library;
  }

  get current(): WAVersion {
    return this.#choice().version;
  }

  announced(): AnnouncedVersion {
    const { version, source } = this.#choice();
    return { version: textOf(version), source };
  }

  served(): string | null {
    return this.#served === null ? null : textOf(this.#served);
  }

  set({ version, max }: ClientVersionSetting): void {
    this.#change(() => {
      this.#setting = { version: version ?? this.#fallback.version, max: max ?? this.#fallback.max };
    });
  }

  /** Call when the network refused this version, or no phone could link with it. Triggers one look-up per version. */
  doubt(version: WAVersion): void {
    const text = textOf(version);
    if (this.#doubted.has(text)) return;
    if (this.#doubted.size >= MAX_DOUBTED) this.#doubted.clear();
    this.#doubted.add(text);
    this.#lookUpDueAt = Number.NEGATIVE_INFINITY;
  }

  /** Looks up the version at most hourly after a success, each minute after a failure. Concurrent calls share a lookup. `now` in Unix ms. */
  lookUp(fetchServed: () => Promise<WAVersion | null>, now: number): Promise<void> {
    if (this.#lookingUp !== null) return this.#lookingUp;
    if (this.#setting.version !== null || now < this.#lookUpDueAt) return Promise.resolve();
    this.#lookUpDueAt = now + HOUR_MS;
    this.#lookingUp = fetchServed()
      .then((served) => this.#found(served, now))
      .finally(() => {
        this.#lookingUp = null;
      });
    return this.#lookingUp;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #found(served: WAVersion | null, askedAt: number): void {
    this.#logger.info({ served: served === null ? null : textOf(served) }, "version.looked_up");
    if (served === null) {
      this.#lookUpDueAt = Math.min(this.#lookUpDueAt, askedAt + MINUTE_MS);
      return;
    }
    // Never downgrades, because lower versions come from edges that have not been updated yet.
    if (this.#served !== null && !isNewer(served, this.#served)) return;
    this.#change(() => {
      this.#served = served;
    });
  }

  #choice(): { version: WAVersion; source: AnnouncedVersion["source"] } {
    const set = versionOf(this.#setting.version);
    if (set !== null) return { version: set, source: "set" };
    const max = versionOf(this.#setting.max);
    const served = this.#served;
    const isTaken = served !== null && isNewer(served, this.#library) && (max === null || !isNewer(served, max));
    return isTaken ? { version: served, source: "served" } : { version: this.#library, source: "library" };
  }

  #change(make: () => void): void {
    const before = textOf(this.current);
    make();
    const { version, source } = this.announced();
    if (version === before) return;
    this.#logger.info({ version, source, before }, "version.changed");
    for (const listener of this.#listeners) listener();
  }
}

export function textOf(version: WAVersion): string {
  return version.join(".");
}

function versionOf(text: string | null): WAVersion | null {
  const [primary, secondary, tertiary] = (text ?? "").split(".").map(Number);
  return primary === undefined || secondary === undefined || tertiary === undefined ? null : [primary, secondary, tertiary];
}

function isNewer(version: WAVersion, than: WAVersion): boolean {
  const index = version.findIndex((number, at) => number !== than[at]);
  return index >= 0 && (version[index] ?? 0) > (than[index] ?? 0);
}

// Looks up the version that the network serves to its web client, over the session's own route.

const REAL_URL = "https://web.whatsapp.com/sw.js";
const PATH = new URL(REAL_URL).pathname;
const SERIES = [2, 3000] as const;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 2_000_000;
/** Without this header, the network serves a page for outdated browsers. */
const HEADERS = {
  "sec-fetch-site": "none",
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
};

export async function fetchServedVersion(network: Network, { fetchAgent }: Proxies): Promise<WAVersion | null> {
  const text = await read(servedAt(network), fetchAgent).catch(() => null);
  const revision = /\\?"client_revision\\?":\s*(?<revision>\d{1,10})/.exec(text ?? "")?.groups?.["revision"];
  return revision === undefined ? null : [...SERIES, Number(revision)];
}

function servedAt(network: Network): URL {
  if (network.kind === "real") return new URL(REAL_URL);
  const url = new URL(PATH, network.url);
  url.protocol = url.protocol.replace("ws", "http");
  return url;
}

function read(url: URL, agent: Proxies["fetchAgent"]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const direct = url.protocol === "https:" ? { lookup: publicLookup } : {};
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // A request aborted while it waits for its proxy emits no event, and all sessions would wait for it forever.
  signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  const options = { headers: HEADERS, signal, ...(agent === undefined ? direct : { agent }) };
  const request = (url.protocol === "https:" ? get : getPlain)(url, options, (response) => {
    if (response.statusCode !== 200) return void request.destroy(new Error("not served"));
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BYTES) request.destroy(new Error("too large"));
      chunks.push(chunk);
    });
    response.on("end", () => resolve(Buffer.concat(chunks).toString()));
    response.on("error", reject);
  });
  request.on("error", reject);
  return promise;
}
