// Authenticates a request: an app's token for an account, or the app itself by `{id}|{secret}`.
import type { CloudNetwork } from "../cloud-network.ts";
import type { App, Token } from "../model.ts";
import { graphError, type GraphReply } from "./errors.ts";

export type Access = { ok: true; app: App; token: Token | null } | { ok: false; reply: GraphReply };

export function accessOf(cloud: CloudNetwork, headers: Headers, query: URLSearchParams): Access {
  const given = credentialOf(headers, query);
  if (given === null) return refused(190, "An access token is required to request this resource.", 104);
  const [id = "", secret] = given.split("|");
  if (secret !== undefined) {
    const app = cloud.app(id);
    return app?.app_secret === secret
      ? { ok: true, app, token: null }
      : refused(190, "Error validating application. Cannot get application info due to a system error.");
  }
  const token = cloud.documents.get("token", given);
  const app = token && cloud.app(token.app_id);
  if (!token || !app) return refused(190, "Invalid OAuth access token - Cannot parse access token");
  if (token.expires_at !== null && token.expires_at <= cloud.now()) {
    return refused(190, "Error validating access token: Session has expired", 463);
  }
  const proof = query.get("appsecret_proof");
  if (proof !== null && !cloud.isProof(app, given, proof)) {
    return { ok: false, reply: graphError(100, { message: "Invalid appsecret_proof provided in the API argument" }) };
  }
  return { ok: true, app, token };
}

export function credentialOf(headers: Headers, query: URLSearchParams): string | null {
  const [, given] = /^(?:Bearer|OAuth) +(\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  return given ?? query.get("access_token");
}

function refused(code: number, message: string, subcode?: number): Access {
  return { ok: false, reply: graphError(code, { message, subcode }) };
}
