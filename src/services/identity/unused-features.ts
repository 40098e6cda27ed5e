// Replaces better-auth's social sign-in, telemetry, in-memory database and OpenAPI page in builds of the worker (wrangler.toml, `[alias]`).
import * as z from "zod";

export const socialProviders = {};
export const SocialProviderListEnum = z.string();
export const additionalAuthorizationParamsSchema = z.unknown().optional();
export const supportsIdTokenSignIn = (): boolean => false;
export const verifyProviderIdToken = (): Promise<boolean> => Promise.resolve(false);
export const mergeScopes = (): string[] => [];

export async function createTelemetry(): Promise<{ publish: () => Promise<void> }> {
  const publish = async (): Promise<void> => undefined;
  return { publish };
}

export function memoryAdapter(): never {
  throw new Error("the build has no database in memory");
}

/** The router's OpenAPI page, which better-auth disables. */
export const generator = (): Promise<object> => Promise.resolve({});
export const getHTML = (): string => "";
