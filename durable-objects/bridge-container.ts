// A session bridge on Cloudflare Containers. A class of its own because `Container` owns its object's alarm (style 3.6).
import { Container } from "@cloudflare/containers";
import type { Env } from "../src/env.ts";

export class BridgeContainer extends Container<Env> {
  override enableInternet = true;
}
