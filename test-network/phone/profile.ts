import { jidEncode } from "baileys";
import { child, children, node, SERVER } from "../node.ts";
import { personOf } from "./addresses.ts";
import { sha256 } from "./messages/media-cipher.ts";
import type { PhoneDependencies } from "./dependencies.ts";
import type { ContactView } from "./views.ts";

export function viewContact(phone: PhoneDependencies, pn: string): ContactView | null {
  const account = phone.link.account(pn);
  if (!account) return null;
  const saved = phone.documents.get("contact", pn);
  const picture = pictureOf(phone, pn);
  return {
    phone: pn,
    full_name: saved?.full_name ?? null,
    push_name: saved?.push_name ?? account.name,
    about: account.about.text || null,
    business: account.business,
    picture_sha256: picture ? sha256(picture).toString("hex") : null,
  };
}

export function pictureOf(phone: PhoneDependencies, pn: string): Buffer | null {
  const picture = phone.link.account(pn)?.picture;
  return picture ? phone.link.readBlob(picture.path) : null;
}

/** Stored pictures have no type, so the first byte determines it. Phones send JPEG. */
export function pictureType(bytes: Uint8Array): string {
  if (bytes[0] === 0x89) return "image/png";
  return bytes[0] === 0x52 ? "image/webp" : "image/jpeg";
}

export function listContacts(phone: PhoneDependencies): ContactView[] {
  return phone.documents.list("contact").flatMap(({ phone: pn }) => viewContact(phone, pn) ?? []);
}

export function learnPushName(phone: PhoneDependencies, pn: string, pushName: string | null): void {
  const known = phone.documents.get("contact", pn);
  if (pushName === null || known?.push_name === pushName) return;
  phone.commit(() => phone.documents.put("contact", pn, { phone: pn, full_name: known?.full_name ?? null, push_name: pushName }));
}

export function listBlocked(phone: PhoneDependencies): string[] {
  const answer = phone.link.request(node("iq", { to: SERVER, type: "get", xmlns: "blocklist", id: phone.link.nextId() }));
  return children(child(answer, "list"), "item").map(({ attrs }) => personOf(attrs["jid"] ?? "", phone.link.directory));
}

export function setBlocked(phone: PhoneDependencies, pn: string, blocked: boolean): void {
  const person = phone.link.account(pn);
  const jid = person ? jidEncode(person.lid, "lid") : jidEncode(pn, "s.whatsapp.net");
  const item = node("item", { action: blocked ? "block" : "unblock", jid, pn_jid: jidEncode(pn, "s.whatsapp.net") });
  phone.link.request(node("iq", { to: SERVER, type: "set", xmlns: "blocklist", id: phone.link.nextId() }, [item]));
}

export function setPicture(phone: PhoneDependencies, picture: Buffer | null): void {
  const content = picture ? [node("picture", { type: "image" }, picture)] : undefined;
  phone.link.request(node("iq", { to: SERVER, type: "set", xmlns: "w:profile:picture", id: phone.link.nextId() }, content));
}

export function setAbout(phone: PhoneDependencies, text: string): void {
  phone.link.request(
    node("iq", { to: SERVER, type: "set", xmlns: "status", id: phone.link.nextId() }, [node("status", {}, Buffer.from(text))]),
  );
}

export function privacyOf(phone: PhoneDependencies): Record<string, string> {
  const answer = phone.link.request(node("iq", { to: SERVER, type: "get", xmlns: "privacy", id: phone.link.nextId() }, [node("privacy")]));
  const categories = children(child(answer, "privacy"), "category");
  return Object.fromEntries(categories.map(({ attrs: { name = "", value = "" } }) => [name, value]));
}

export function setPrivacy(phone: PhoneDependencies, settings: Readonly<Record<string, string>>): boolean {
  const categories = Object.entries(settings).map(([name, value]) => node("category", { name, value }));
  const request = node("iq", { to: SERVER, type: "set", xmlns: "privacy", id: phone.link.nextId() }, [node("privacy", {}, categories)]);
  return phone.link.request(request).attrs["type"] === "result";
}
