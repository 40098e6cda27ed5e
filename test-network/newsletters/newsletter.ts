import { randomBytes } from "node:crypto";
import type { Account, Newsletter } from "../model.ts";
import type { Network } from "../network-state.ts";
import { nowSeconds } from "../node.ts";

export function newNewsletter(network: Network<"newsletters" | "store">, owner: Account, name: string, description: string): Newsletter {
  const at = nowSeconds();
  const newsletter: Newsletter = {
    id: freshNewsletterId(network),
    createdAt: at,
    updatedAt: at,
    inviteCode: randomBytes(12).toString("base64url"),
    followers: new Map([[owner.pn, { role: "OWNER", muted: false }]]),
    messages: new Map(),
    name,
    description,
    picture: undefined,
    lastServerId: 99,
  };
  network.newsletters.set(newsletter.id, newsletter);
  network.store.saveNewsletter(newsletter);
  return newsletter;
}

/** Finds a channel by JID or invite code. */
export function findNewsletter(network: Network<"newsletters">, key: string): Newsletter | undefined {
  const byId = network.newsletters.get(key);
  if (byId) return byId;
  const code = key.replace(/^.*\//, "");
  return [...network.newsletters.values()].find(({ inviteCode }) => inviteCode === code);
}

/** The channel in the form of a GraphQL response, where numbers and times are strings. */
export function newsletterView(network: Network<"blobs">, newsletter: Newsletter, viewer: Account): Record<string, unknown> {
  const { id, createdAt, updatedAt, name, description, inviteCode, followers, picture } = newsletter;
  const me = followers.get(viewer.pn);
  const shown = picture && { id: picture.id, type: "IMAGE", direct_path: picture.path, url: network.blobs.urlOf(picture.path) };
  return {
    id,
    state: { type: "ACTIVE" },
    thread_metadata: {
      creation_time: createdAt,
      name: { id: createdAt, text: name, update_time: updatedAt },
      description: { id: createdAt, text: description, update_time: updatedAt },
      invite: inviteCode,
      subscribers_count: String(followers.size),
      verification: "UNVERIFIED",
      handle: null,
      picture: shown ?? null,
      preview: shown ? { ...shown, type: "PREVIEW" } : null,
      settings: { reaction_codes: { value: "ALL" } },
    },
    viewer_metadata: { mute: me?.muted ? "ON" : "OFF", role: me?.role ?? "GUEST" },
  };
}

function freshNewsletterId(network: Network<"newsletters">): string {
  for (;;) {
    const id = `120363${randomBytes(6).readUIntBE(0, 6).toString().padStart(15, "0").slice(-12)}@newsletter`;
    if (!network.newsletters.has(id)) return id;
  }
}
