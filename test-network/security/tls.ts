// The media host's certificate, signed by a CA of our own that clients are told to trust (docs/durability.md, "Wire protocol: media").
import { createHash, createPrivateKey, createPublicKey, createSign, generateKeyPairSync, randomBytes, type KeyObject } from "node:crypto";
import { bitString, boolean, der, integer, objectId, octets, sequence, text, utcTime } from "./der.ts";
import { DAY_MS } from "../../src/protocol/units.ts";

export interface TlsIdentity {
  caPem: string;
  keyPem: string;
  certPem: string;
}
export interface CertificateAuthority {
  caPem: string;
  keyPem: string;
}

const ECDSA_WITH_SHA256 = sequence(objectId("1.2.840.10045.4.3.2"));
const BASIC_CONSTRAINTS = "2.5.29.19";
const ALTERNATIVE_NAMES = "2.5.29.17";

interface Certificate {
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  signWith: KeyObject;
  extensions: Buffer[];
}

export function mintAuthority(): CertificateAuthority {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const extensions = [extension(BASIC_CONSTRAINTS, true, sequence(boolean(true)))];
  const name = authorityName(publicKey);
  return { caPem: certificate({ subject: name, issuer: name, publicKey, signWith: privateKey, extensions }), keyPem: pemOf(privateKey) };
}

/** A certificate for `localhost` and one IPv4 address. */
export function mintTlsIdentity(authority: CertificateAuthority, address: string): TlsIdentity {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const names = sequence(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.from(address.split(".").map(Number))));
  const extensions = [extension(BASIC_CONSTRAINTS, true, sequence()), extension(ALTERNATIVE_NAMES, false, names)];
  const signWith = createPrivateKey(authority.keyPem);
  const issuer = authorityName(createPublicKey(authority.keyPem));
  const certPem = certificate({ subject: "localhost", issuer, publicKey, signWith, extensions });
  return { caPem: authority.caPem, keyPem: pemOf(privateKey), certPem };
}

function certificate({ subject, issuer, publicKey, signWith, extensions }: Certificate): string {
  const version3 = der(0xa0, integer(Buffer.from([2])));
  const serial = integer(Buffer.concat([Buffer.from([1]), randomBytes(8)]));
  const now = Date.now();
  const validity = sequence(utcTime(new Date(now - DAY_MS)), utcTime(new Date(now + 3650 * DAY_MS)));
  const body = sequence(
    version3,
    serial,
    ECDSA_WITH_SHA256,
    nameOf(issuer),
    validity,
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = createSign("sha256").update(body).sign(signWith);
  return pem("CERTIFICATE", sequence(body, ECDSA_WITH_SHA256, bitString(signature)));
}

// Each authority has a name of its own: a process that trusts two networks must not check one's signature with the other's key.
function authorityName(publicKey: KeyObject): string {
  const print = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex")
    .slice(0, 12);
  return `Local Test Network ${print}`;
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId("2.5.4.3"), text(commonName))));
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return sequence(objectId(id), ...(critical ? [boolean(true)] : []), octets(value));
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
