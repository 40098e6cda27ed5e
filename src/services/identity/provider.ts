// Loads the embedded identity provider on first use: its library is a fifth of the worker's code.
import type { Env } from "../../env.ts";
import type { embeddedProvider } from "./embedded-provider.ts";
import { throughOutages } from "./provider-outages.ts";

type IdentityProvider = ReturnType<typeof embeddedProvider>;

const providers = new WeakMap<Env, Promise<IdentityProvider>>();

export function identityProvider(env: Env): Promise<IdentityProvider> {
  const known = providers.get(env);
  if (known !== undefined) return known;
  const loading = import("./embedded-provider.ts").then((module) => module.embeddedProvider(env));
  providers.set(env, loading);
  return loading;
}

/** Fails with D1's error when D1 is away, so that callers answer 503. */
export function withProvider<T>(env: Env, work: (provider: IdentityProvider) => Promise<T>): Promise<T> {
  return throughOutages(async () => work(await identityProvider(env)));
}
