// External OpenID Connect issuer, with authorization code, PKCE, state and nonce. Its tokens are never stored.
import {
  allowInsecureRequests,
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  type IDToken,
  None,
  OperationProcessingError,
  PARSE_ERROR,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processUserInfoResponse,
  RESPONSE_IS_NOT_CONFORM,
  ResponseBodyError,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from "oauth4webapi";
import { nameFromIssuer } from "@gateway/domain/people/names-and-emails.ts";
import { isLoopbackUrl } from "@gateway/domain/people/signing-in.ts";
import { settingsOf, type Env } from "../../env.ts";
import type { Settings } from "../../settings.ts";
import { log } from "../../log.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { addressIn, type Bearer } from "./verify-bearer.ts";

/** Operators register this redirect URI with the issuer. */
export const CALLBACK_PATH = "/api/dashboard/sign-in/callback";

const SCOPE = "openid email profile";
const TIMEOUT_MS = 10_000;
const CONFIGURATION_MS = HOUR_MS;

/** The values that the sign-in callback must match. Stored only in the browser that started the sign-in. */
export type SignInAttempt = { state: string; nonce: string; verifier: string };

/** Returns the issuer's page and the attempt to store. Throws when the issuer cannot be reached. */
export async function beginSignIn(env: Env): Promise<{ attempt: SignInAttempt; page: string }> {
  const settings = settingsOf(env);
  const { authorization_endpoint: endpoint } = await configurationOf(env);
  if (endpoint === undefined) throw new Error("the identity issuer names no page to sign in at");
  const attempt = { state: generateRandomState(), nonce: generateRandomNonce(), verifier: generateRandomCodeVerifier() };
  const page = new URL(endpoint);
  const asked = {
    client_id: settings.IDENTITY_CLIENT_ID,
    response_type: "code",
    redirect_uri: settings.APP_URL + CALLBACK_PATH,
    scope: SCOPE,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(asked)) page.searchParams.set(name, value);
  return { attempt, page: page.href };
}

/** Returns null when the issuer refused, or the response does not match the attempt. Throws when the issuer fails or cannot be reached. */
export async function finishSignIn(env: Env, answered: URLSearchParams, attempt: SignInAttempt): Promise<Bearer | null> {
  const settings = settingsOf(env);
  const issuer = await configurationOf(env);
  const client: Client = { client_id: settings.IDENTITY_CLIENT_ID };
  const options = requestOptions(env);
  try {
    const code = validateAuthResponse(issuer, client, answered, attempt.state);
    const response = await authorizationCodeGrantRequest(
      issuer,
      client,
      clientAuthentication(settings, issuer),
      code,
      settings.APP_URL + CALLBACK_PATH,
      attempt.verifier,
      options,
    );
    if (response.status >= 500) throw new Error(`the identity issuer answered ${response.status} for a code`);
    const tokens = await processAuthorizationCodeResponse(issuer, client, response, { expectedNonce: attempt.nonce, requireIdToken: true });
    await validateApplicationLevelSignature(issuer, response, options);
    const claims = getValidatedIdTokenClaims(tokens);
    if (claims === undefined) return null;
    const info = await userInfo(issuer, client, tokens.access_token, claims, options);
    const address = addressIn(typeof claims["email"] === "string" ? claims : info);
    const name = nameFromIssuer({ ...info, ...claims }["name"]);
    return { issuer: settings.IDENTITY_ISSUER, subject: claims.sub, ...address, name };
  } catch (error) {
    const reason = refusalIn(error);
    if (reason === null) throw error;
    log("identity.issuer_refused", { reason });
    return null;
  }
}

async function userInfo(
  issuer: AuthorizationServer,
  client: Client,
  accessToken: string,
  claims: IDToken,
  options: ReturnType<typeof requestOptions>,
): Promise<Record<string, unknown>> {
  if (typeof claims["email"] === "string" || issuer.userinfo_endpoint === undefined) return {};
  const response = await userInfoRequest(issuer, client, accessToken, options);
  return processUserInfoResponse(issuer, client, claims.sub, response);
}

/** Returns the protocol error code, or null if the issuer itself failed. */
function refusalIn(error: unknown): string | null {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) return error.error;
  const isBroken = error instanceof OperationProcessingError && (error.code === RESPONSE_IS_NOT_CONFORM || error.code === PARSE_ERROR);
  return error instanceof OperationProcessingError && !isBroken ? (error.code ?? "invalid") : null;
}

function clientAuthentication({ IDENTITY_CLIENT_SECRET: secret }: Settings, issuer: AuthorizationServer): ClientAuth {
  if (secret === "") return None();
  // If the issuer does not specify a method, the default is Basic (OpenID Connect Discovery 1.0, 3).
  const methods = issuer.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic") ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}

function requestOptions(env: Env) {
  return {
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
    [allowInsecureRequests]: isLoopbackUrl(settingsOf(env).IDENTITY_ISSUER),
    [customFetch]: (url: string, init: object) => (env.ISSUER ?? globalThis).fetch(url, init),
  };
}

const configurations = new Map<string, { read: Promise<AuthorizationServer>; at: number }>();

function configurationOf(env: Env): Promise<AuthorizationServer> {
  const { IDENTITY_ISSUER: issuer } = settingsOf(env);
  const now = Date.now();
  const known = configurations.get(issuer);
  if (known !== undefined && now - known.at < CONFIGURATION_MS) return known.read;
  const read = discover(env);
  configurations.set(issuer, { read, at: now });
  read.catch(() => configurations.delete(issuer));
  return read;
}

async function discover(env: Env): Promise<AuthorizationServer> {
  const issuer = new URL(settingsOf(env).IDENTITY_ISSUER);
  return processDiscoveryResponse(issuer, await discoveryRequest(issuer, requestOptions(env)));
}
