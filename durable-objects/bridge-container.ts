// A session bridge on Cloudflare Containers. A class of its own because `Container` owns its object's alarm (style 3.6).
import { Container } from "@cloudflare/containers";
import { type Env, settingsOf } from "../src/env.ts";
import { BRIDGE_CAPACITY } from "./bridge-pool/containers.ts";

export class BridgeContainer extends Container<Env> {
  /** Its health page. */
  override defaultPort = 8080;
  override enableInternet = true;
  /** Longer than the watchdog's minute: only a container that is not kept any more goes to sleep, and drains on SIGTERM. */
  override sleepAfter = "10m";

  /** Runs the bridge under this name, if it is not running, and keeps it awake. Called every minute for each that is needed. */
  async keep(name: string): Promise<void> {
    const { BASE_URL, BRIDGE_SECRET, BRIDGE_NETWORK } = settingsOf(this.env);
    await this.start({
      envVars: { BRIDGE_GATEWAY_URL: BASE_URL, BRIDGE_SECRET, BRIDGE_NETWORK, BRIDGE_ID: name, BRIDGE_CAPACITY: String(BRIDGE_CAPACITY) },
    });
    this.renewActivityTimeout();
  }
}
