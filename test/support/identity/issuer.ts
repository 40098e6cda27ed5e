// A small OpenID Connect issuer: discovery, a page that signs in its only user, codes with PKCE, tokens, user info. As strict as real
// issuers; its responses can be altered.
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

export type IssuerClient = { id: string; /** null: a public client. */ secret: string | null; redirectUri: string };

type Grant = { nonce: string; challenge: string; subject: string };

export class TestIssuer {
  /** Mutable, because a gateway does not know its address before it starts. */
  client: IssuerClient;
  readonly #keys = generateKeyPair("RS256", { extractable: true });
  readonly #grants = new Map<string, Grant>();
  readonly #bearers = new Map<string, string>();
  /** The user that the issuer's page signs in. */
  person: JWTPayload & { sub: string } = { sub: crypto.randomUUID(), email: "ana@example.com", email_verified: true, name: "Ana" };
  /** Claims returned only by the user info endpoint. */
  onlyAtUserInfo: readonly string[] = [];
  /** Overrides for every user info response. */
  atUserInfo: Record<string, unknown> = {};
  /** Overrides for every ID token. */
  bent: JWTPayload = {};
  /** Signs with an unpublished key. */
  signsWithAnother = false;
  /** Error that its page returns instead of a code, e.g. `access_denied`. */
  refusal: string | null = null;
  /** Paths that respond with 500. */
  broken: readonly string[] = [];

  /** Without a trailing slash. */
  readonly url: string;

  constructor(url: string, client: IssuerClient) {
    this.url = url;
    this.client = client;
  }

  async handle(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (this.broken.includes(pathname)) return new Response(null, { status: 500 });
    switch (`${request.method} ${pathname}`) {
      case "GET /.well-known/openid-configuration":
        return Response.json(this.#configuration());
      case "GET /keys":
        return Response.json({ keys: [{ ...(await exportJWK((await this.#keys).publicKey)), kid: "k1", alg: "RS256", use: "sig" }] });
      case "GET /authorize":
        return this.#authorize(searchParams);
      case "POST /token":
        return this.#token(request, new URLSearchParams(await request.text()));
      case "GET /userinfo":
        return this.#userInfo(request);
      default:
        return new Response(null, { status: 404 });
    }
  }

  #configuration(): Record<string, unknown> {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/keys`,
      userinfo_endpoint: `${this.url}/userinfo`,
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
    };
  }

  #authorize(asked: URLSearchParams): Response {
    const { id, redirectUri } = this.client;
    const isKnown = asked.get("client_id") === id && asked.get("redirect_uri") === redirectUri && asked.get("response_type") === "code";
    const nonce = asked.get("nonce");
    const challenge = asked.get("code_challenge");
    if (!isKnown || nonce === null || challenge === null || asked.get("code_challenge_method") !== "S256") {
      return new Response("this client, or what it asks, is not known here", { status: 400 });
    }
    const back = new URL(redirectUri);
    back.searchParams.set("state", asked.get("state") ?? "");
    back.searchParams.set("iss", this.url);
    if (this.refusal === null) {
      const code = crypto.randomUUID();
      this.#grants.set(code, { nonce, challenge, subject: this.person.sub });
      back.searchParams.set("code", code);
    } else back.searchParams.set("error", this.refusal);
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  async #token(request: Request, sent: URLSearchParams): Promise<Response> {
    const { id, secret, redirectUri } = this.client;
    const [, basic = ""] = request.headers.get("authorization")?.split("Basic ") ?? [];
    // RFC 6749, 2.3.1: client id and secret are form-encoded before they are joined.
    const [name, shown] = atob(basic)
      .split(":")
      .map((text) => new URLSearchParams(`x=${text}`).get("x"));
    const isThem = secret === null ? sent.get("client_id") === id && basic === "" : name === id && shown === secret;
    if (!isThem) {
      return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    const code = sent.get("code") ?? "";
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(sent.get("code_verifier") ?? ""));
    const challenge = btoa(String.fromCharCode(...new Uint8Array(digest)))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
    if (grant?.challenge !== challenge || sent.get("redirect_uri") !== redirectUri) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    const bearer = crypto.randomUUID();
    this.#bearers.set(bearer, grant.subject);
    const idToken = await this.#idToken(grant);
    return Response.json({ access_token: bearer, token_type: "Bearer", expires_in: 300, id_token: idToken });
  }

  async #idToken({ nonce }: Grant): Promise<string> {
    const shown = Object.entries(this.person).filter(([claim]) => !this.onlyAtUserInfo.includes(claim));
    const at = Math.floor(Date.now() / 1000);
    const claims = { iss: this.url, aud: this.client.id, iat: at, exp: at + 300, nonce, ...Object.fromEntries(shown), ...this.bent };
    const keys = this.signsWithAnother ? generateKeyPair("RS256") : this.#keys;
    return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "k1" }).sign((await keys).privateKey);
  }

  #userInfo(request: Request): Response {
    const subject = this.#bearers.get(request.headers.get("authorization")?.replace("Bearer ", "") ?? "");
    return subject === this.person.sub ? Response.json({ ...this.person, ...this.atUserInfo }) : new Response(null, { status: 401 });
  }
}
