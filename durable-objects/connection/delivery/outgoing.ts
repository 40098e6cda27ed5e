// Chooses how an object's requests leave this deployment. On Cloudflare, all of them use `fetch`.
import { isListed } from "@gateway/domain/egress/outgoing-url.ts";
import { type Env, webhookHosts } from "#root/src/env.ts";
import type { EgressFetch } from "./attempt.ts";

/** Requests to Graph bypass the egress filter, because the sandbox serves its own Graph on this machine. */
export function graphFetchOf(env: Env): typeof fetch {
  return (input, init) => (env.GRAPH === undefined ? fetch(input, init) : env.GRAPH.fetch(input, init));
}

/** Webhooks go through the sandbox's egress filter. On a single machine, receivers that the operator has listed use `RECEIVERS`. */
export function egressOf(env: Env): EgressFetch {
  const listed = webhookHosts(env);
  return (url, init) => {
    const way = listed.length > 0 && isListed(new URL(url), listed) ? env.RECEIVERS : env.EGRESS;
    return way === undefined ? fetch(url, init) : way.fetch(url, init);
  };
}
