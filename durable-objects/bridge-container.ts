// A session bridge on Cloudflare Containers. It is a separate class, because `Container` uses its object's only alarm.
import { Container } from "@cloudflare/containers";
import * as z from "zod";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { log } from "#root/src/log.ts";
import { BRIDGE_CAPACITY, type BridgeContainerStub } from "./bridge-pool/containers.ts";

/** A container is replaced if its bridge has not connected to the pool after this long. */
const CONNECT_MS = 3 * MINUTE_MS;
/** Storage key for the time when the pool started to wait for the bridge (Unix ms). */
const AWAITED = "bridge_awaited_since";
/** How long a container drains. The platform kills it 15 minutes after SIGTERM, and the last minute is for closing sessions. */
const DRAIN_SECONDS = 14 * 60;
const HEALTH_MS = 30_000;
const Health = z.object({ sessions: z.number() });

export class BridgeContainer extends Container<Env> implements BridgeContainerStub {
  override defaultPort = 8080;
  override enableInternet = true;
  /** Longer than the watchdog's one-minute interval, so that only an unneeded container goes to sleep. It drains on SIGTERM. */
  override sleepAfter = "10m";

  /** Starts this bridge unless it is running, and keeps it awake. Called every minute for each container that is needed. */
  async keep(bridge: string, pool: string, isConnected: boolean): Promise<{ replaced: boolean }> {
    const replaced = await this.#isStuck(isConnected);
    if (replaced) await this.destroy();
    await this.#start(bridge, pool);
    this.renewActivityTimeout();
    return { replaced };
  }

  async restart(bridge: string, pool: string): Promise<void> {
    await this.destroy();
    await this.ctx.storage.delete(AWAITED);
    await this.#start(bridge, pool);
    this.renewActivityTimeout();
  }

  async metrics(): Promise<string> {
    const response = await this.#ask("/metrics");
    return response.text();
  }

  async #start(bridge: string, pool: string): Promise<void> {
    const { BASE_URL, BRIDGE_NETWORK, BRIDGE_SECRET, ...settings } = settingsOf(this.env);
    await this.start({
      envVars: {
        BRIDGE_GATEWAY_URL: BASE_URL,
        BRIDGE_CREDENTIAL: makeBridgeCredential(BRIDGE_SECRET, bridge, pool),
        BRIDGE_POOL: pool,
        BRIDGE_NETWORK,
        BRIDGE_CAPACITY: String(BRIDGE_CAPACITY),
        BRIDGE_DRAIN_SECONDS: String(DRAIN_SECONDS),
        BRIDGE_LOG_LEVEL: settings.BRIDGE_LOG_LEVEL,
        BRIDGE_CLIENT_VERSION: settings.BRIDGE_CLIENT_VERSION,
        BRIDGE_CLIENT_VERSION_MAX: settings.BRIDGE_CLIENT_VERSION_MAX,
        OTEL_EXPORTER_OTLP_ENDPOINT: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
        OTEL_EXPORTER_OTLP_HEADERS: settings.OTEL_EXPORTER_OTLP_HEADERS,
        OTEL_TRACES_SAMPLER_ARG: settings.OTEL_TRACES_SAMPLER_ARG,
      },
    });
  }

  /** Runs when no pool has called for `sleepAfter`. Bridges only dial outward, so the library considers even a busy bridge idle. */
  override async onActivityExpired(): Promise<void> {
    const sessions = await this.#sessions();
    if (sessions === 0) return super.onActivityExpired();
    log("container.not_kept", { sessions });
  }

  async #sessions(): Promise<number> {
    try {
      const response = await this.#ask("/health");
      return Health.parse(await response.json()).sessions;
    } catch {
      return 0;
    }
  }

  async #ask(path: string): Promise<Response> {
    const port = this.ctx.container?.getTcpPort(this.defaultPort);
    if (port === undefined) throw new Error("there is no container");
    return port.fetch(`http://bridge${path}`, { signal: AbortSignal.timeout(HEALTH_MS) });
  }

  /** The platform may report a stopped container as running. Calling `destroy` fixes that. */
  async #isStuck(isConnected: boolean): Promise<boolean> {
    const since =
      isConnected || this.ctx.container?.running !== true ? null : ((await this.ctx.storage.get<number>(AWAITED)) ?? Date.now());
    const isOver = since !== null && Date.now() - since >= CONNECT_MS;
    if (since === null || isOver) await this.ctx.storage.delete(AWAITED);
    else await this.ctx.storage.put(AWAITED, since);
    return isOver;
  }
}

/** There is one class per region, because the platform places containers by class (see `wrangler.toml`). */
export class BridgeContainerEnam extends BridgeContainer {}
export class BridgeContainerWnam extends BridgeContainer {}
export class BridgeContainerWeur extends BridgeContainer {}
export class BridgeContainerEeur extends BridgeContainer {}
export class BridgeContainerApac extends BridgeContainer {}
export class BridgeContainerSam extends BridgeContainer {}
