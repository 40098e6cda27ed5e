// Replaces two unused features of better-auth, social sign-in and telemetry, in builds of the worker (wrangler.toml, `[alias]`).
import * as z from "zod";

export const socialProviders = {};
export const SocialProviderListEnum = z.string();

export async function createTelemetry(): Promise<{ publish: () => Promise<void> }> {
  const publish = async (): Promise<void> => undefined;
  return { publish };
}
