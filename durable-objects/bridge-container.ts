// A session bridge on Cloudflare Containers. A class of its own because `Container` owns its object's alarm
// (docs/internals/architecture.md, "Processes").
import { Container } from "@cloudflare/containers";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { type Env, settingsOf } from "../src/env.ts";
import { BRIDGE_CAPACITY, type BridgeContainerStub } from "./bridge-pool/containers.ts";

export class BridgeContainer extends Container<Env> implements BridgeContainerStub {
  override defaultPort = 8080;
  override enableInternet = true;
  /** Longer than the watchdog's minute, so that only a container no longer needed goes to sleep; it drains on SIGTERM. */
  override sleepAfter = "10m";

  /** Starts this bridge unless it runs, and keeps it awake. Called every minute for each container that is needed. */
  async keep(bridge: string, pool: string): Promise<void> {
    const { BASE_URL, BRIDGE_NETWORK, BRIDGE_SECRET, ...settings } = settingsOf(this.env);
    await this.start({
      envVars: {
        BRIDGE_GATEWAY_URL: BASE_URL,
        BRIDGE_CREDENTIAL: makeBridgeCredential(BRIDGE_SECRET, bridge, pool),
        BRIDGE_POOL: pool,
        BRIDGE_NETWORK,
        BRIDGE_CAPACITY: String(BRIDGE_CAPACITY),
        BRIDGE_CLIENT_VERSION: settings.BRIDGE_CLIENT_VERSION,
        BRIDGE_CLIENT_VERSION_MAX: settings.BRIDGE_CLIENT_VERSION_MAX,
        OTEL_EXPORTER_OTLP_ENDPOINT: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
        OTEL_EXPORTER_OTLP_HEADERS: settings.OTEL_EXPORTER_OTLP_HEADERS,
        OTEL_TRACES_SAMPLER_ARG: settings.OTEL_TRACES_SAMPLER_ARG,
      },
    });
    this.renewActivityTimeout();
  }
}

/** One class per region, because the platform places containers by class (see `wrangler.toml`). */
export class BridgeContainerEnam extends BridgeContainer {}
export class BridgeContainerWnam extends BridgeContainer {}
export class BridgeContainerWeur extends BridgeContainer {}
export class BridgeContainerEeur extends BridgeContainer {}
export class BridgeContainerApac extends BridgeContainer {}
export class BridgeContainerSam extends BridgeContainer {}
