// Replaces `jose` in builds of the worker (wrangler.toml, `[alias]`). Omits encrypted tokens, which better-auth does not use here.
export * from "jose/jwt/sign";
export * from "jose/jwt/verify";
export * from "jose/jwt/decode";
export * from "jose/jwt/unsecured";
export * from "jose/jwk/thumbprint";
export * from "jose/jwks/local";
export * from "jose/jwks/remote";
export * from "jose/key/import";
export * from "jose/key/export";
export * from "jose/key/generate/keypair";
export * from "jose/decode/protected_header";
export * as base64url from "jose/base64url";
export * as errors from "jose/errors";

function withoutEncryption(): never {
  throw new Error("the build has no encrypted tokens");
}

export const EncryptJWT = withoutEncryption;
export const jwtDecrypt = withoutEncryption;
