// Loads the embedded identity provider on first use, because its library is a fifth of the worker's code.
import type { Env } from "../../env.ts";
import type { embeddedProvider } from "./embedded-provider.ts";
import { throughOutages } from "./provider-outages.ts";

type IdentityProvider = ReturnType<typeof embeddedProvider>;

const providers = new WeakMap<Env, IdentityProvider>();

/** Keeps the provider, not the promise, because a request must not wait for another request's promise, which may be cancelled. */
export async function identityProvider(env: Env): Promise<IdentityProvider> {
  const known = providers.get(env);
  if (known !== undefined) return known;
  const { embeddedProvider } = await import("./embedded-provider.ts");
  const provider = providers.get(env) ?? embeddedProvider(env);
  providers.set(env, provider);
  return provider;
}

/** Fails with D1's error if D1 is unavailable, so that callers return 503. */
export function withProvider<T>(env: Env, work: (provider: IdentityProvider) => Promise<T>): Promise<T> {
  return throughOutages(async () => work(await identityProvider(env)));
}
